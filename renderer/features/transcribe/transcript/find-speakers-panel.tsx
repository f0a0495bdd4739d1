// Tells apart who speaks in a transcript that exists: only the speakers change.

import { useEffect, useState } from "react";
import { t } from "../../../messages/messages.ts";
import { formatTime } from "../../../messages/format.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { useTask } from "../../../stores/task.ts";
import { toast } from "../../../stores/toasts.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { listSpeakers } from "../document/speakers.ts";
import { SpeakerCountField } from "../queue/speaker-fields.tsx";
import { ClosePanelButton } from "./close-panel-button.tsx";
import { PanelSection } from "./panel-section.tsx";
import { useTranscript } from "./use-transcript.ts";

export function FindSpeakersPanel() {
  const { open, actions } = useTranscript();
  const preferredCount = usePreferences((state) => state.transcribe.speakers);
  const [count, setCount] = useState(preferredCount ?? {});
  const { isBusy, error, run, cancel } = useTask();
  const closePanel = (): void => actions.showPanel(undefined);

  async function start(): Promise<void> {
    await run(async (signal) => {
      const isChanged = await actions.findSpeakers(count, signal);
      closePanel();
      const found = listSpeakers(open.store.getState().segments).length;
      toast({
        text: isChanged
          ? t("transcribe.speakers.found", { count: found })
          : t("transcribe.speakers.same"),
      });
    });
  }

  return (
    <PanelSection label={t("transcribe.option.speakers")} onClose={closePanel}>
      <div className="panel-tools">
        <span className="panel-count">{t("transcribe.speakers.about")}</span>
        <ClosePanelButton onClick={closePanel} />
      </div>
      <div className="panel-tools">
        <SpeakerCountField value={count} onChange={setCount} />
      </div>
      <div className="panel-tools">
        {isBusy ? (
          <Button onClick={cancel}>{t("transcribe.cancel")}</Button>
        ) : (
          <Button kind="primary" autoFocus onClick={() => void start()}>
            {t("transcribe.option.speakers")}
          </Button>
        )}
        {isBusy && <ElapsedTime />}
        {/* The timer is hidden from screen readers, which would announce it every second. */}
        <span className="unseen" role="status">
          {isBusy && t("transcribe.speakers.running")}
        </span>
      </div>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
    </PanelSection>
  );
}

function ElapsedTime() {
  const [sec, setSec] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSec((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="figures" role="timer">
      {t("transcribe.speakers.running-for", { time: formatTime(sec) })}
    </span>
  );
}
