// Imports an archive of the library: choose a file, upload it, show the outcome.

import { ArchiveRestore } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { LibraryImport } from "../../../main/contract/window-api.ts";
import { importLibrary } from "../../api/binary.ts";
import { formatCount } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { localize } from "../../messages/localize.ts";
import { useAction } from "../../stores/actions.ts";
import { acceptAttribute } from "../../stores/accepted-files.ts";
import { takeIncomingFiles, useIncoming } from "../../stores/incoming.ts";
import { loadItems } from "../../stores/items.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { FileInput } from "../../ui/file-input.tsx";
import { Notice } from "../../ui/notice.tsx";

type UnpackProgress = { done: number; total: number };

export type LibraryImportTask = {
  isBusy: boolean;
  error: string | undefined;
  /** 0 to 1, of the upload. */
  sentFraction: number;
  unpacked: UnpackProgress | undefined;
  outcome: LibraryImport | undefined;
  start(file: File): void;
  cancel(): void;
};

export function useLibraryImport(): LibraryImportTask {
  const { isBusy, error, run, cancel } = useTask();
  const [sentFraction, setSentFraction] = useState(0);
  const [unpacked, setUnpacked] = useState<UnpackProgress>();
  const [outcome, setOutcome] = useState<LibraryImport>();
  useEffect(
    () =>
      eventStream().subscribe(
        (event) => void (event.type === "library-import" && setUnpacked(event)),
      ),
    [],
  );
  const start = (file: File): void => {
    setSentFraction(0);
    setUnpacked(undefined);
    setOutcome(undefined);
    void run(async (signal) => {
      setOutcome(
        await importLibrary(
          file,
          (sentBytes) => setSentFraction(sentBytes / Math.max(1, file.size)),
          signal,
        ),
      );
      await loadItems();
    });
  };
  const hasIncoming = useIncoming(({ files }) => files.some(({ kind }) => kind === "archive"));
  useEffect(() => {
    if (isBusy || !hasIncoming) return;
    const [archive] = takeIncomingFiles("archive");
    if (archive !== undefined) start(archive);
  });
  return { isBusy, error, sentFraction, unpacked, outcome, start, cancel };
}

export function ImportButton({ importTask: { isBusy, start } }: { importTask: LibraryImportTask }) {
  const input = useRef<HTMLInputElement>(null);
  const choose = (): void => input.current?.click();
  useAction({ id: "library.restore", title: t("library.restore"), run: choose });
  return (
    <>
      <Button icon={<ArchiveRestore aria-hidden />} isBusy={isBusy} onClick={choose}>
        {t("library.restore")}
      </Button>
      <FileInput
        ref={input}
        accept={acceptAttribute("archive")}
        aria-label={t("library.restore")}
        onFiles={([file]) => start(file)}
      />
    </>
  );
}

export function ImportNotice({
  importTask: { isBusy, error, sentFraction, unpacked, outcome, cancel },
}: {
  importTask: LibraryImportTask;
}) {
  if (error !== undefined) return <Notice tone="bad">{error}</Notice>;
  if (isBusy) {
    const text =
      unpacked === undefined
        ? t("library.restore.sending", { part: `${Math.round(100 * sentFraction)} %` })
        : t("library.restore.unpacking", {
            done: formatCount(unpacked.done),
            total: formatCount(unpacked.total),
          });
    return (
      <Notice
        action={
          <Button isSmall kind="quiet" onClick={cancel}>
            {t("library.restore.cancel")}
          </Button>
        }
      >
        {text}
      </Notice>
    );
  }
  if (outcome === undefined) return null;
  const { restored, existing, failed, stopped } = outcome;
  return (
    <Notice tone={failed.length > 0 || stopped !== undefined ? "warn" : "plain"}>
      {t("library.restore.done", { restored })}{" "}
      {existing > 0 && t("library.restore.existing", { count: existing })}{" "}
      {failed.length > 0 && t("library.restore.failed", { count: failed.length })}{" "}
      {stopped !== undefined &&
        t("library.restore.stopped", { left: stopped.left, why: localize(stopped) })}
    </Notice>
  );
}
