// Recordings in progress, at the bottom of the rail on every page: red dot, time, stop button.

import "./recordings.css";
import { Square } from "lucide-react";
import { formatTime } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import { RegisterAction } from "../stores/actions.ts";
import { type Recording, useRecordings } from "../stores/recording.ts";
import { go } from "../stores/route.ts";
import { toast } from "../stores/toasts.ts";
import { IconButton } from "../ui/button.tsx";
import { focusOnRemoval } from "../ui/focus-on-removal.ts";
import { Tooltip } from "../ui/tooltip.tsx";

/** Its stop button has the focus when it goes: the link of the page that is shown takes it. */
const focusPageLink = focusOnRemoval(".rail-place[aria-current]");

/** After stopping from another page, a toast links to the recording. */
async function stopRecording({ kind, path, stop }: Recording): Promise<void> {
  await stop();
  if (kind === "recording" && location.hash !== `#${path}`)
    toast({
      text: () => t("frame.recording.stopped"),
      action: { label: t("frame.recording.open"), run: () => go(path) },
    });
}

function RecordingRow({ recording, isNarrow }: { recording: Recording; isNarrow: boolean }) {
  const { kind, phase, sec, path } = recording;
  const state = kind === "trial" ? t("frame.recording.trial") : t(`frame.recording.${phase}`);
  const isEnding = phase === "ending";
  const link = (
    <a
      className="rail-recording-open"
      href={`#${path}`}
      aria-label={isNarrow ? `${formatTime(sec)} ${state}` : undefined}
    >
      <span className="rail-recording-lamp" data-phase={phase} />
      <span className="rail-recording-time figures">{formatTime(sec)}</span>{" "}
      {!isNarrow && <span className="rail-recording-state">{state}</span>}
    </a>
  );
  return (
    <div
      ref={focusPageLink}
      className="rail-recording"
      role="group"
      aria-label={t("frame.recording")}
    >
      {isNarrow ? (
        <Tooltip text={state} side="right">
          {link}
        </Tooltip>
      ) : (
        link
      )}
      <IconButton
        label={t("frame.recording.stop")}
        isBusy={isEnding}
        side="right"
        isSmall
        onClick={() => void stopRecording(recording)}
      >
        <Square aria-hidden />
      </IconButton>
    </div>
  );
}

export function Recordings({ isNarrow }: { isNarrow: boolean }) {
  const recordings = useRecordings((store) => store.recordings);
  const [first] = recordings;
  return (
    <>
      {first !== undefined && (
        <RegisterAction
          id="recording.stop"
          title={t("frame.recording.stop")}
          group={t("frame.group.window")}
          run={() => void stopRecording(first)}
        />
      )}
      {recordings.map((recording) => (
        <RecordingRow key={recording.kind} recording={recording} isNarrow={isNarrow} />
      ))}
    </>
  );
}
