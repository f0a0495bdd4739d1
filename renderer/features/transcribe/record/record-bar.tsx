// The recording in progress: lamp, time, input and its level, pause and stop. The text appears below while recording.

import "./record-bar.css";
import { ChevronDown, Pause, Play, Square } from "lucide-react";
import { useState } from "react";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { focusOnRemoval } from "../../../ui/focus-on-removal.ts";
import { silenceSec } from "../../../ui/level.ts";
import { LevelMeter } from "../../../ui/level-meter.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { InputPopover } from "./input-popover.tsx";
import { RecordingNotes } from "./recording-notes.tsx";
import { withSystemTrack } from "./system-track.ts";
import {
  onLevel,
  pauseRecording,
  resumeRecording,
  stopRecording,
  useRecorder,
} from "./recorder.ts";

/** Shows a notice if more than this is not on disk. */
const minUnsentNoticeSec = 5;

/** Its stop button has the focus when it goes: the transcript takes it, or "Record" where there is no text. */
const focusTranscript = focusOnRemoval(".segment", ".page-header .button-primary");

export function RecordBar() {
  const { phase, itemId, recordedSec, unsentSec, sourceLabel, hasSystemTrack, message } =
    useRecorder();
  const [isInputOpen, setInputOpen] = useState(false);
  const isPaused = phase === "paused";
  const isEnding = phase === "ending";
  return (
    <section ref={focusTranscript} className="record-bar" aria-label={t("transcribe.record.bar")}>
      <div className="record-bar-line">
        <span className="record-bar-lamp" data-phase={phase} />
        <span className="record-bar-time figures">{formatTime(recordedSec)}</span>
        <span className="record-bar-state" role="status">
          {isEnding
            ? t("transcribe.record.ending")
            : isPaused
              ? t("transcribe.record.paused")
              : sourceLabel === ""
                ? t("transcribe.record.running")
                : t("transcribe.record.running.from", {
                    name: withSystemTrack(sourceLabel, hasSystemTrack),
                  })}
        </span>
        {!isEnding && (
          <InputPopover
            isOpen={isInputOpen}
            onOpenChange={setInputOpen}
            trigger={
              <IconButton label={t("transcribe.input.change")}>
                <ChevronDown aria-hidden />
              </IconButton>
            }
          />
        )}
        <LevelMeter onLevel={onLevel} />
        {itemId !== undefined && !isEnding && <RecordingNotes key={itemId} itemId={itemId} />}
        <Button
          icon={isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
          disabledReason={isEnding ? t("transcribe.record.ending") : undefined}
          onClick={isPaused ? resumeRecording : pauseRecording}
        >
          {isPaused ? t("transcribe.record.resume") : t("transcribe.record.pause")}
        </Button>
        <Button
          kind="primary"
          icon={<Square aria-hidden />}
          isBusy={isEnding}
          onClick={() => void stopRecording()}
        >
          {t("transcribe.record.stop")}
        </Button>
      </div>
      <InputNotices onChange={() => setInputOpen(true)} />
      {message !== undefined && <Notice tone="warn">{message}</Notice>}
      {message === undefined && unsentSec > minUnsentNoticeSec && (
        <Notice>{t("transcribe.record.behind", { sec: Math.round(unsentSec) })}</Notice>
      )}
    </section>
  );
}

/** What is not as the person expects: there is no sound, or another input is recorded. */
function InputNotices({ onChange }: { onChange: () => void }) {
  const { isSilent, sourceLabel, hasSystemTrack, fallback, inputProblem } = useRecorder();
  const { kind } = usePreferences(({ recordFrom }) => recordFrom);
  const name =
    sourceLabel || t(kind === "system" ? "transcribe.source.system" : "transcribe.source.default");
  const change = (
    <Button isSmall onClick={onChange}>
      {t("transcribe.input.change")}
    </Button>
  );
  return (
    <>
      {fallback !== undefined && (
        <Notice action={!isSilent && change}>
          {t(`transcribe.input.${fallback.reason}`, { from: fallback.from, name })}
        </Notice>
      )}
      {isSilent && (
        <Notice tone="warn" action={change}>
          {t("transcribe.input.silent", {
            name: withSystemTrack(name, hasSystemTrack),
            sec: silenceSec,
          })}
        </Notice>
      )}
      {inputProblem !== undefined && <Notice tone="bad">{inputProblem}</Notice>}
    </>
  );
}
