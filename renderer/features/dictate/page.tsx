// The dictation window: records at once, stops by the desktop's key, Enter or its button, and delivers the text. In a
// browser the text is shown for copying.

import "./dictate.css";
import { Check, CircleAlert, Mic, MicOff, Square, X } from "lucide-react";
import { useEffect } from "react";
import { useStore } from "zustand";
import { desktopBridge } from "../../bridge/desktop.ts";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { LevelMeter } from "../../ui/level-meter.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import type { DictationState } from "./dictation.ts";
import { RestartButton, CopyText, EndMessage, UnsavedDictation } from "./end-message.tsx";
import {
  begin,
  discardAndClose,
  onKey,
  onLevel,
  onSpace,
  onUnload,
  toggleDictation,
  store,
} from "./session.ts";

/** Long enough to read the message. */
const noSpeechMessageMs = 4000;

export function Page() {
  const state = useStore(store);
  useEffect(() => {
    void begin();
    addEventListener("keydown", onKey);
    addEventListener("keydown", onSpace);
    addEventListener("keyup", onSpace);
    addEventListener("beforeunload", onUnload);
    const stopListening = desktopBridge()?.onDictationStop(toggleDictation);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("keydown", onSpace);
      removeEventListener("keyup", onSpace);
      removeEventListener("beforeunload", onUnload);
      stopListening?.();
    };
  }, []);
  const hasNoSpeech = state.phase === "nothing";
  useEffect(() => {
    if (!hasNoSpeech || desktopBridge() === undefined) return undefined;
    const timer = setTimeout(() => void discardAndClose(), noSpeechMessageMs);
    return () => clearTimeout(timer);
  }, [hasNoSpeech]);
  return (
    <main
      className={`dictate ${desktopBridge() === undefined ? "" : "dictate-frameless"}`}
      data-phase={state.phase}
    >
      <h1 className="unseen">{t("dictate.page")}</h1>
      <PhaseView state={state} />
    </main>
  );
}

function PhaseView({ state }: { state: DictationState }) {
  switch (state.phase) {
    case "starting":
    case "listening":
    case "transcribing":
      return <ActiveDictation state={state} />;
    case "done":
      return state.isDelivered ? (
        <EndMessage icon={<Check aria-hidden />} tone="good" text={t("dictate.handed")} />
      ) : (
        <EndMessage
          icon={<Check aria-hidden />}
          tone="good"
          text={<span className="dictate-text">{state.text}</span>}
          actions={
            <>
              <CopyText text={state.text} />
              <RestartButton />
            </>
          }
        />
      );
    case "nothing":
      return (
        <EndMessage
          icon={<MicOff aria-hidden />}
          text={state.isSilent ? t("dictate.silent") : t("dictate.nothing")}
          actions={<RestartButton />}
        />
      );
    case "trouble":
      return (
        <EndMessage
          icon={<MicOff aria-hidden />}
          tone="bad"
          text={t(`dictate.trouble.${state.problem}`)}
          actions={<RestartButton />}
        />
      );
    case "failed":
      return state.audio === undefined ? (
        <EndMessage
          icon={<CircleAlert aria-hidden />}
          tone="bad"
          text={t("dictate.failed-kept", { why: state.why })}
          actions={<RestartButton />}
        />
      ) : (
        <UnsavedDictation why={state.why} audio={state.audio} />
      );
    case "discarded":
      return (
        <EndMessage
          icon={<Mic aria-hidden />}
          text={t("dictate.discarded")}
          actions={<RestartButton />}
        />
      );
  }
}

type ActiveState = Extract<DictationState, { phase: "starting" | "listening" | "transcribing" }>;

function statusText(state: ActiveState): string {
  if (state.phase !== "listening") return t(`dictate.${state.phase}`);
  const { fallback } = state;
  return [
    ...(fallback === undefined
      ? []
      : [
          t("transcribe.input.missing", {
            from: fallback.from,
            name: fallback.name || t("transcribe.source.default"),
          }),
        ]),
    // The desktop's window does not get key presses: the focus stays in the program that receives the text.
    desktopBridge() === undefined ? t("dictate.listening") : t("dictate.listening.desktop"),
  ].join(" ");
}

function ActiveDictation({ state }: { state: ActiveState }) {
  const isListening = state.phase === "listening";
  return (
    <>
      <div className="dictate-line">
        {state.phase === "transcribing" ? <Spinner /> : <span className="dictate-lamp" />}
        <span className="dictate-time figures">
          {formatTime(state.phase === "starting" ? 0 : state.sec)}
        </span>
        <LevelMeter onLevel={onLevel} />
        {state.phase !== "transcribing" && (
          <Button
            kind="primary"
            isSmall
            icon={<Square aria-hidden />}
            disabledReason={isListening ? undefined : t("dictate.starting")}
            onClick={toggleDictation}
          >
            {t("dictate.stop")}
          </Button>
        )}
        <IconButton
          label={t("dictate.discard")}
          keys="Escape"
          isSmall
          onClick={() => void discardAndClose()}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      <p className="dictate-status" role="status">
        {statusText(state)}
      </p>
      {state.phase === "listening" && state.words !== undefined && (
        <div className="dictate-words" aria-live="off">
          <p>
            {state.words.settled}
            <span className="dictate-unsettled">{state.words.unsettled}</span>
          </p>
        </div>
      )}
    </>
  );
}
