// The recording in progress: lamp, time, level, pause and stop. The text appears below while recording.

import "./record-bar.css";
import { Pause, Play, Square } from "lucide-react";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { LevelMeter } from "../../../ui/level-meter.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { RecordingNotes } from "./recording-notes.tsx";
import {
  onLevel,
  pauseRecording,
  resumeRecording,
  stopRecording,
  useRecorder,
} from "./recorder.ts";

/** Shows a notice if more than this is not on disk. */
const minUnsentNoticeSec = 5;

export function RecordBar() {
  const { phase, itemId, recordedSec, unsentSec, sourceLabel, message } = useRecorder();
  const isPaused = phase === "paused";
  const isEnding = phase === "ending";
  return (
    <section className="record-bar" aria-label={t("transcribe.record.bar")}>
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
                : t("transcribe.record.running.from", { name: sourceLabel })}
        </span>
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
      {message !== undefined && <Notice tone="warn">{message}</Notice>}
      {message === undefined && unsentSec > minUnsentNoticeSec && (
        <Notice>{t("transcribe.record.behind", { sec: Math.round(unsentSec) })}</Notice>
      )}
    </section>
  );
}
