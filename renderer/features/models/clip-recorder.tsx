// Button that starts and stops recording a clip for a trial.

import { CircleStop, Mic } from "lucide-react";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { Button } from "../../ui/button.tsx";
import { startClip, stopClip, useClipRecording } from "./clip-recording.ts";

export function ClipRecorder() {
  const { phase, sec, error } = useClipRecording();
  return (
    <>
      {phase === "idle" || phase === "starting" ? (
        <Button
          icon={<Mic aria-hidden />}
          isBusy={phase === "starting"}
          onClick={() => void startClip()}
        >
          {t("models.clip.record")}
        </Button>
      ) : (
        <Button
          icon={<CircleStop aria-hidden />}
          isBusy={phase === "ending"}
          onClick={() => void stopClip()}
        >
          {t("models.clip.stop", { time: formatTime(sec) })}
        </Button>
      )}
      {error !== undefined && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </>
  );
}
