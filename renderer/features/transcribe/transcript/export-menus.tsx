// Exports of a transcript: copy, save as a file, drag into another program.

import { Check, ClipboardCopy, Download, GripVertical } from "lucide-react";
import { useState } from "react";
import type { Item } from "../../../../main/contract/library-item.ts";
import { transcriptExports } from "../../../../main/contract/transcript-document.ts";
import { exportUrl } from "../../../api/binary.ts";
import { copyText, downloadUrl } from "../../../bridge/bridge.ts";
import { t } from "../../../messages/messages.ts";
import { toast } from "../../../stores/toasts.ts";
import { isSaveFailed } from "../../../stores/autosave.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Menu } from "../../../ui/menu.tsx";
import type { OpenTranscript } from "./open-transcripts.ts";
import { plainText, timedText } from "./plain-text.ts";
import { makeSpeakerScript } from "./speaker-script.ts";
import { useNoSpeakersReason, useTranscript } from "./use-transcript.ts";

/** Saves first, so that the export equals what is shown. */
export async function exportTranscript(
  { store }: OpenTranscript,
  { id }: Item,
  format: (typeof transcriptExports)[number],
): Promise<void> {
  await store.save();
  const { saving, message } = store.getState();
  if (isSaveFailed(saving)) toast({ tone: "bad", text: message ?? "" });
  else downloadUrl(exportUrl(id, format));
}

/** `noTextReason`: why there is nothing to copy. */
export function CopyMenu({ noTextReason }: { noTextReason: string | undefined }) {
  const { open } = useTranscript();
  const [copyResult, setCopyResult] = useState<string>();
  const copy = async (text: string): Promise<void> => {
    setCopyResult((await copyText(text)) ? t("shell.copied") : t("shell.copy.refused"));
    setTimeout(() => setCopyResult(undefined), 3000);
  };
  const segments = () => open.store.getState().segments;
  if (noTextReason !== undefined) {
    return (
      <IconButton label={t("transcribe.copy")} disabledReason={noTextReason}>
        <ClipboardCopy aria-hidden />
      </IconButton>
    );
  }
  return (
    <>
      <span className="unseen" role="status">
        {copyResult}
      </span>
      <Menu
        items={[
          { label: t("transcribe.copy.text"), run: () => void copy(plainText(segments())) },
          { label: t("transcribe.copy.times"), run: () => void copy(timedText(segments())) },
        ]}
      >
        <IconButton label={copyResult ?? t("transcribe.copy")}>
          {copyResult === undefined ? <ClipboardCopy aria-hidden /> : <Check aria-hidden />}
        </IconButton>
      </Menu>
    </>
  );
}

export function ExportMenu({ noTextReason }: { noTextReason: string | undefined }) {
  const { item, open } = useTranscript();
  const noSpeakersReason = useNoSpeakersReason();
  if (noTextReason !== undefined) {
    return (
      <Button icon={<Download aria-hidden />} disabledReason={noTextReason}>
        {t("transcribe.export")}
      </Button>
    );
  }
  return (
    <>
      <Menu
        items={[
          ...transcriptExports.map((format) => ({
            label: t(`transcribe.export.${format}`),
            run: () => void exportTranscript(open, item, format),
            disabledReason: format === "rttm" ? noSpeakersReason : undefined,
          })),
          {
            label: t("transcribe.script"),
            run: () => void makeSpeakerScript(open, item),
            disabledReason: noSpeakersReason,
            beginsGroup: true,
          },
        ]}
      >
        <Button icon={<Download aria-hidden />}>{t("transcribe.export")}</Button>
      </Menu>
      <IconButton
        label={t("transcribe.drag")}
        className="transcript-drag"
        draggable
        onDragStart={({ dataTransfer }) => {
          void open.store.save();
          dataTransfer.setData("text/plain", plainText(open.store.getState().segments));
          // Chromium turns this into a file where it is dropped.
          const fileName = `${item.title.replaceAll(/[\\/:*?"<>|]/g, " ")}.txt`;
          const { href } = new URL(exportUrl(item.id, "txt"), location.href);
          dataTransfer.setData("DownloadURL", `text/plain:${fileName}:${href}`);
          dataTransfer.effectAllowed = "copy";
        }}
        onClick={() => void copyText(plainText(open.store.getState().segments))}
      >
        <GripVertical aria-hidden />
      </IconButton>
    </>
  );
}
