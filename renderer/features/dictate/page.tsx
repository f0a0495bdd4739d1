// Dictating in a small window: it listens at once, is stopped by the desktop's key, by Enter or by its button, and
// hands on what was said. In a browser the text is shown, to be copied.

import "./dictate.css";
import { Check, CircleAlert, Mic, MicOff, Square, X } from "lucide-react";
import { useEffect } from "react";
import { useStore } from "zustand";
import { desktop } from "../../bridge/desktop.ts";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { LevelMeter } from "../../ui/level-meter.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import type { DictationState } from "./dictation.ts";
import { Again, CopyText, End, Unkept } from "./ending.tsx";
import { begin, leave, onKey, onLevel, onUnload, press, store } from "./session.ts";

/** Long enough to read that nothing was heard. */
const nothingShownMs = 4000;

export function Page() {
  const state = useStore(store);
  useEffect(() => {
    void begin();
    addEventListener("keydown", onKey);
    addEventListener("beforeunload", onUnload);
    const stopListening = desktop()?.onDictationStop(press);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("beforeunload", onUnload);
      stopListening?.();
    };
  }, []);
  const isNothing = state.phase === "nothing";
  useEffect(() => {
    if (!isNothing || desktop() === undefined) return undefined;
    const timer = setTimeout(() => void leave(), nothingShownMs);
    return () => clearTimeout(timer);
  }, [isNothing]);
  return (
    <main
      className={`dictate ${desktop() === undefined ? "" : "dictate-frameless"}`}
      data-phase={state.phase}
    >
      <h1 className="unseen">{t("dictate.page")}</h1>
      <Phase state={state} />
    </main>
  );
}

function Phase({ state }: { state: DictationState }) {
  switch (state.phase) {
    case "starting":
    case "listening":
    case "hearing":
      return <Going state={state} />;
    case "done":
      return state.isHanded ? (
        <End icon={<Check aria-hidden />} tone="good" text={t("dictate.handed")} />
      ) : (
        <End
          icon={<Check aria-hidden />}
          tone="good"
          text={<span className="dictate-text">{state.text}</span>}
          actions={
            <>
              <CopyText text={state.text} />
              <Again />
            </>
          }
        />
      );
    case "nothing":
      return (
        <End
          icon={<MicOff aria-hidden />}
          text={state.isSilent ? t("dictate.silent") : t("dictate.nothing")}
          actions={<Again />}
        />
      );
    case "trouble":
      return (
        <End
          icon={<MicOff aria-hidden />}
          tone="bad"
          text={t(`dictate.trouble.${state.trouble}`)}
          actions={<Again />}
        />
      );
    case "failed":
      return state.sound === undefined ? (
        <End
          icon={<CircleAlert aria-hidden />}
          tone="bad"
          text={t("dictate.kept", { why: state.why })}
          actions={<Again />}
        />
      ) : (
        <Unkept why={state.why} sound={state.sound} />
      );
    case "discarded":
      return <End icon={<Mic aria-hidden />} text={t("dictate.discarded")} actions={<Again />} />;
  }
}

function Going({
  state,
}: {
  state: Extract<DictationState, { phase: "starting" | "listening" | "hearing" }>;
}) {
  const isListening = state.phase === "listening";
  return (
    <>
      <div className="dictate-line">
        {state.phase === "hearing" ? <Spinner /> : <span className="dictate-lamp" />}
        <span className="dictate-time figures">
          {formatTime(state.phase === "starting" ? 0 : state.sec)}
        </span>
        <LevelMeter onLevel={onLevel} />
        {state.phase !== "hearing" && (
          <Button
            kind="primary"
            isSmall
            icon={<Square aria-hidden />}
            disabledReason={isListening ? undefined : t("dictate.starting")}
            onClick={press}
          >
            {t("dictate.stop")}
          </Button>
        )}
        <IconButton label={t("dictate.discard")} keys="Escape" isSmall onClick={() => void leave()}>
          <X aria-hidden />
        </IconButton>
      </div>
      <p className="dictate-status" role="status">
        {/* The desktop's window leaves the keys to the program in front. */}
        {isListening && desktop() !== undefined
          ? t("dictate.listening.desktop")
          : t(`dictate.${state.phase}`)}
      </p>
    </>
  );
}
