// The watched folder: its path, the formats of the transcripts, and what happened to its files.

import { FolderOpen } from "lucide-react";
import { useEffect, useState } from "react";
import { transcriptExports } from "../../../main/contract/transcript-export.ts";
import {
  type WatchedFile,
  watchPreferences,
  type WatchPreferences,
  type WatchStatus,
} from "../../../main/contract/watch-folder.ts";
import { call } from "../../api/client.ts";
import { desktopBridge } from "../../bridge/desktop.ts";
import { localize } from "../../messages/localize.ts";
import { t } from "../../messages/messages.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { itemPath } from "../../stores/items.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";

export function WatchSection() {
  const watch = usePreferences((preferences) => preferences.watch);
  const { status, error } = useWatchStatus();
  const change = (patch: Partial<WatchPreferences>): void =>
    void changePreferences({ watch: { ...watch, ...patch } });
  return (
    <Section title={t("settings.watch")} about={t("settings.watch.about")}>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <div className="settings-rows">
        <FolderField folder={watch.folder} onChange={(folder) => change({ folder })} />
        <fieldset className="settings-formats">
          <legend className="field-label">{t("settings.watch.formats")}</legend>
          {transcriptExports.map((format) => (
            <Checkbox
              key={format}
              label={`.${format}`}
              checked={watch.formats.includes(format)}
              onChange={({ currentTarget: { checked } }) =>
                change({
                  formats: transcriptExports.filter((each) =>
                    each === format ? checked : watch.formats.includes(each),
                  ),
                })
              }
            />
          ))}
        </fieldset>
        {status !== undefined && status.state !== "off" && <Status status={status} />}
      </div>
    </Section>
  );
}

/** Follows the app's events while it is shown. */
function useWatchStatus() {
  const [status, setStatus] = useState<WatchStatus>();
  const { run, cancel, error } = useTask();
  useEffect(() => {
    const load = (): void =>
      void run(async (signal) => setStatus(await call("readWatch", {}, "", signal)));
    load();
    const unsubscribe = eventStream().subscribe((event) => {
      if (event.type === "watch") load();
    });
    return () => {
      unsubscribe();
      cancel();
    };
  }, [run, cancel]);
  return { status, error };
}

function FolderField({ folder, onChange }: { folder: string; onChange: (folder: string) => void }) {
  const [typed, setTyped] = useState<string>();
  const { isBusy, error, run } = useTask();
  const bridge = desktopBridge();
  const path = (typed ?? folder).trim();
  const isValid = watchPreferences.shape.folder.safeParse(path).success;
  const pick = () =>
    void run(async () => {
      const picked = await bridge?.pickFolder();
      if (picked === undefined) return;
      setTyped(undefined);
      onChange(picked);
    });
  return (
    <div className="settings-folder">
      <TextField
        label={t("settings.watch.folder")}
        help={t("settings.watch.folder.help")}
        error={isValid ? error : t("settings.watch.folder.wrong")}
        value={typed ?? folder}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
        onBlur={() => {
          if (!isValid) return;
          setTyped(undefined);
          if (path !== folder) onChange(path);
        }}
      />
      {bridge !== undefined && (
        <Button icon={<FolderOpen aria-hidden />} isBusy={isBusy} onClick={pick}>
          {t("settings.watch.folder.pick")}
        </Button>
      )}
    </div>
  );
}

const Status = ({ status: { state, files } }: { status: WatchStatus }) => (
  <>
    {state === "missing" && <Notice tone="warn">{t("settings.watch.missing")}</Notice>}
    {state === "ownFolder" && <Notice tone="warn">{t("settings.watch.ownFolder")}</Notice>}
    {state === "tooMany" && <Notice tone="warn">{t("settings.watch.tooMany")}</Notice>}
    {files.length === 0 ? (
      <p className="field-help">{t("settings.watch.none")}</p>
    ) : (
      <ul className="settings-watched" aria-label={t("settings.watch.files")}>
        {files.map((file) => (
          <li key={file.name}>
            <FileName file={file} />
            <span className={file.state === "failed" ? "field-error" : "field-help"}>
              {file.error === undefined
                ? t(`settings.watch.state.${file.state}`)
                : localize(file.error)}
            </span>
          </li>
        ))}
      </ul>
    )}
  </>
);

const FileName = ({ file: { name, itemId } }: { file: WatchedFile }) =>
  itemId === undefined ? (
    <span>{name}</span>
  ) : (
    <a href={`#${itemPath({ id: itemId, kind: "transcript" })}`}>{name}</a>
  );
