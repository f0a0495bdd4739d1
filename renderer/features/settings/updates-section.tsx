// Updates: from an address that the user sets, and only on request.

import { useState } from "react";
import { Download, RefreshCw, RotateCw } from "lucide-react";
import { desktopPreferences, type UpdateState } from "../../../main/contract/desktop-bridge.ts";
import { desktopBridge, setDesktopState, useDesktop } from "../../bridge/desktop.ts";
import { t } from "../../messages/messages.ts";
import { localize } from "../../messages/localize.ts";
import { useInfo } from "../../stores/info.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Progress } from "../../ui/progress.tsx";
import { changeDesktopPreferences } from "./change-desktop-preferences.ts";

export function UpdatesSection() {
  const update = useDesktop(({ state }) => state?.update);
  const feed = usePreferences((preferences) => preferences.desktop.updateFeed);
  const version = useInfo(({ info }) => info?.version);
  if (update === undefined) return null;
  return (
    <Section title={t("settings.updates")} about={t("settings.updates.about")}>
      <div className="settings-rows">
        <FeedField feed={feed} />
        <UpdateStep update={update} version={version ?? ""} hasFeed={feed !== ""} />
      </div>
    </Section>
  );
}

/** Saves on blur or Enter. */
function FeedField({ feed }: { feed: string }) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? feed;
  const { data } = desktopPreferences.shape.updateFeed.safeParse(shown.trim());
  const applyTyped = () => {
    if (typed === undefined || data === undefined) return;
    if (data !== feed) changeDesktopPreferences({ updateFeed: data });
    setTyped(undefined);
  };
  return (
    <TextField
      label={t("settings.updates.feed")}
      help={t("settings.updates.feed.help")}
      placeholder="https://"
      inputMode="url"
      value={shown}
      error={data === undefined ? t("settings.updates.feed.wrong") : undefined}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={applyTyped}
      onKeyDown={(event) => {
        if (event.key === "Enter") applyTyped();
        if (event.key === "Escape") setTyped(undefined);
      }}
    />
  );
}

function UpdateStep({
  update,
  version,
  hasFeed,
}: {
  update: UpdateState;
  version: string;
  hasFeed: boolean;
}) {
  const { run, isBusy, error } = useTask();
  const bridge = desktopBridge();
  if (bridge === undefined) return null;
  const check = (
    <Button
      icon={<RefreshCw aria-hidden />}
      isBusy={isBusy || update.step === "checking"}
      disabledReason={hasFeed ? undefined : t("settings.updates.noFeed")}
      onClick={() => void run(async () => setDesktopState(await bridge.checkForUpdate()))}
    >
      {t("settings.updates.check")}
    </Button>
  );
  return (
    <>
      <div className="settings-row">
        <span role="status">
          {t(`settings.updates.step.${update.step}`, {
            version: "version" in update ? update.version : version,
            part: "progress" in update ? update.progress : 0,
          })}
        </span>
        {update.step === "available" ? (
          <Button
            kind="primary"
            icon={<Download aria-hidden />}
            isBusy={isBusy}
            onClick={() => void run(async () => setDesktopState(await bridge.downloadUpdate()))}
          >
            {t("settings.updates.download")}
          </Button>
        ) : update.step === "ready" ? (
          <Button
            kind="primary"
            icon={<RotateCw aria-hidden />}
            isBusy={isBusy}
            onClick={() => void run(() => bridge.installUpdate())}
          >
            {t("settings.updates.install")}
          </Button>
        ) : (
          update.step !== "downloading" && check
        )}
      </div>
      {update.step === "downloading" && (
        <Progress label={t("settings.updates.progress")} fraction={update.progress} />
      )}
      {update.step === "manual" && (
        <Notice>
          {t("settings.updates.manual")}{" "}
          <a href={update.url} target="_blank" rel="noreferrer">
            {update.url}
          </a>
        </Notice>
      )}
      {update.step === "failed" && <Notice tone="bad">{localize(update)}</Notice>}
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
    </>
  );
}
