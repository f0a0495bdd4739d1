// What is recorded, remembered for the next time, with its level now. The microphone is opened, and permission
// requested, only while the popover is open.

import "./input-popover.css";
import { ChevronDown, Mic } from "lucide-react";
import { useEffect, useMemo, useState, type ReactElement } from "react";
import { useStore } from "zustand";
import { useDesktop } from "../../../bridge/desktop.ts";
import { onAudioDevicesChange } from "../../../bridge/audio-devices.ts";
import { openAudioInput } from "../../../bridge/audio-input.ts";
import { t } from "../../../messages/messages.ts";
import { changePreferences, usePreferences } from "../../../stores/preferences.ts";
import { Button } from "../../../ui/button.tsx";
import { silenceSec } from "../../../ui/level.ts";
import { LevelMeter } from "../../../ui/level-meter.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Popover, PopoverClose } from "../../../ui/popover.tsx";
import { SourceSelect } from "../../../ui/source-select.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { createInputMonitor, type MonitorState } from "./input-monitor.ts";
import { changeRecordingInput, onLevel, useRecorder } from "./recorder.ts";
import { systemTrack, withSystemTrack, type SystemTrack } from "./system-track.ts";

type InputPopoverProps = {
  trigger: ReactElement;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  /** Without it, there is no button to record. */
  onRecord?: () => void;
};

export function InputPopover({ trigger, onRecord, ...state }: InputPopoverProps) {
  return (
    <Popover label={t("transcribe.input")} trigger={trigger} align="end" {...state}>
      <div className="input-popover">
        <InputChoice />
        {onRecord !== undefined && (
          <PopoverClose>
            <Button kind="primary" icon={<Mic aria-hidden />} onClick={onRecord}>
              {t("transcribe.record")}
            </Button>
          </PopoverClose>
        )}
      </div>
    </Popover>
  );
}

/** A button with the name of what is recorded. */
export function InputButton({ onRecord }: { onRecord: () => void }) {
  const { recordFrom, recordsSystemTrack } = usePreferences();
  const hasSystemTrack = useSystemTrack() === "possible" && recordsSystemTrack;
  const { kind, deviceLabel } = recordFrom;
  const name =
    kind === "system"
      ? t("transcribe.source.system")
      : (deviceLabel ?? t("transcribe.source.default"));
  return (
    <InputPopover
      onRecord={onRecord}
      trigger={
        <Button kind="quiet" className="input-button">
          {t("frame.choice", {
            name: t("transcribe.source"),
            value: withSystemTrack(name, hasSystemTrack),
          })}
          <ChevronDown aria-hidden />
        </Button>
      }
    />
  );
}

function InputChoice() {
  // Another object whenever preferences are loaded again, which must not open the microphone again.
  const { kind, deviceLabel } = usePreferences((state) => state.recordFrom);
  const recordFrom = useMemo(() => ({ kind, deviceLabel }), [kind, deviceLabel]);
  const isRecording = useRecorder(({ phase }) => phase === "recording" || phase === "paused");
  const hasSystemTrack = useRecorder((recorder) => recorder.hasSystemTrack);
  const [monitor] = useState(() => createInputMonitor(openAudioInput));
  const state = useStore(monitor.store);
  // Sharing asks every time, so it cannot be listened to before.
  const isMonitored = !isRecording && recordFrom.kind === "microphone";
  useEffect(() => {
    if (!isMonitored) return undefined;
    const start = (): void => void monitor.start(recordFrom);
    start();
    const stopWatching = onAudioDevicesChange(() => {
      const current = monitor.store.getState();
      const isMissing = current.phase === "on" && current.missingDevice !== undefined;
      if (isMissing || current.phase === "failed") start();
    });
    return () => {
      stopWatching();
      monitor.stop();
    };
  }, [monitor, isMonitored, recordFrom]);
  return (
    <>
      <SourceSelect
        label={t("transcribe.source")}
        value={recordFrom}
        onChange={(next) => {
          void changePreferences({ recordFrom: next });
          void changeRecordingInput();
        }}
        isRecording={isRecording || state.phase === "on"}
        isMicrophoneOnly={hasSystemTrack}
      />
      {hasSystemTrack && <p className="input-popover-signal">{t("transcribe.tracks.fixed")}</p>}
      {isRecording && <LevelMeter onLevel={onLevel} />}
      {isMonitored && (
        <div className="input-popover-signal">
          <LevelMeter onLevel={monitor.onLevel} />
          <MonitorText state={state} />
        </div>
      )}
      {!isRecording && !isMonitored && (
        <p className="input-popover-signal">{t("transcribe.input.shared")}</p>
      )}
      {!isRecording && <SystemTrackSwitch />}
    </>
  );
}

function useSystemTrack(): SystemTrack {
  // The desktop tells later whether it can.
  useDesktop(({ state }) => state?.hasSystemSound);
  return systemTrack(usePreferences(({ recordFrom }) => recordFrom));
}

/** Whether the system's audio is a second track. A recording keeps its tracks. */
function SystemTrackSwitch() {
  const isWanted = usePreferences(({ recordsSystemTrack }) => recordsSystemTrack);
  const possibility = useSystemTrack();
  if (possibility === "needless") return null;
  const isPossible = possibility === "possible";
  return (
    <Switch
      label={t("transcribe.tracks")}
      help={t(`transcribe.tracks.${possibility}`)}
      isOn={isWanted && isPossible}
      isFixed={!isPossible}
      onChange={(recordsSystemTrack) => void changePreferences({ recordsSystemTrack })}
    />
  );
}

function MonitorText({ state }: { state: MonitorState }) {
  if (state.phase === "failed")
    return <Notice tone="bad">{t(`transcribe.record.trouble.${state.problem}`)}</Notice>;
  if (state.phase !== "on") return <p>{t("transcribe.input.opening")}</p>;
  const name = state.label || t("transcribe.source.default");
  return (
    <>
      {state.missingDevice !== undefined && (
        <Notice>{t("transcribe.input.missing", { from: state.missingDevice, name })}</Notice>
      )}
      <p role="status">{t(`transcribe.input.signal.${state.signal}`, { name, sec: silenceSec })}</p>
    </>
  );
}
