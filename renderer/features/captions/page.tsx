// The captions window: what is said, large, with a second line in English on request. It stays on top of other programs
// in the desktop; a browser shows it in full screen.

import "./captions.css";
import { Maximize, Mic, Minimize, Settings2, Square, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { desktopBridge, subscribeToDesktop } from "../../bridge/desktop.ts";
import { formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Popover } from "../../ui/popover.tsx";
import type { Caption } from "./captions.ts";
import { CaptionOptions } from "./caption-options.tsx";
import { open, start, stop, store } from "./session.ts";

export function Page() {
  const { phase, captions, message, recordedSec } = useStore(store);
  const { textSize, color, lines, translates } = usePreferences((state) => state.captions);
  useEffect(() => {
    void subscribeToDesktop();
    void open();
    addEventListener("keydown", onKey);
    // The tray stops recordings of every window.
    const stopCommands = desktopBridge()?.onCommand((command) => {
      if (command.type === "run" && command.actionId === "recording.stop") void stop();
    });
    return () => {
      removeEventListener("keydown", onKey);
      stopCommands?.();
    };
  }, []);
  const isListening = phase === "listening";
  return (
    <main
      className={`captions ${desktopBridge() === undefined ? "" : "captions-frameless"}`}
      data-phase={phase}
      data-size={textSize}
      data-color={color}
      style={{ "--caption-lines": lines }}
    >
      <h1 className="unseen">{t("captions.page")}</h1>
      <div className="captions-tools">
        <span className="captions-status" role="status">
          {message ?? t(`captions.${phase}`)}
        </span>
        {recordedSec !== undefined && (
          <span className="captions-time figures">
            {t("captions.recorded", { time: formatTime(recordedSec) })}
          </span>
        )}
        <Button
          isSmall
          kind={isListening ? "secondary" : "primary"}
          icon={isListening ? <Square aria-hidden /> : <Mic aria-hidden />}
          isBusy={phase === "starting" || phase === "ending"}
          onClick={() => void (isListening ? stop() : start())}
        >
          {isListening ? t("captions.stop") : t("captions.start")}
        </Button>
        <Popover
          label={t("captions.options")}
          align="end"
          trigger={
            <IconButton label={t("captions.options")} isSmall>
              <Settings2 aria-hidden />
            </IconButton>
          }
        >
          <CaptionOptions isListening={isListening} />
        </Popover>
        {desktopBridge() === undefined ? <FullScreenButton /> : <CloseButton />}
      </div>
      <div className="captions-text">
        <Words captions={captions} />
        {translates && <Translations captions={captions} />}
      </div>
    </main>
  );
}

// Screen readers would interrupt whoever speaks.
const Words = ({ captions }: { captions: readonly Caption[] }) => (
  <div className="captions-lines" aria-live="off">
    <div>
      {captions.map(({ id, settled, unsettled }) => (
        <p key={id}>
          {settled}
          <span className="captions-unsettled">{unsettled}</span>
        </p>
      ))}
    </div>
  </div>
);

const Translations = ({ captions }: { captions: readonly Caption[] }) => (
  <div className="captions-lines captions-translation" lang="en" aria-live="off">
    <div>
      {captions.map(
        ({ id, translation }) => translation !== undefined && <p key={id}>{translation}</p>,
      )}
    </div>
  </div>
);

function FullScreenButton() {
  const [isFull, setFull] = useState(document.fullscreenElement !== null);
  useEffect(() => {
    const update = () => setFull(document.fullscreenElement !== null);
    document.addEventListener("fullscreenchange", update);
    return () => document.removeEventListener("fullscreenchange", update);
  }, []);
  return (
    <IconButton
      label={isFull ? t("captions.leave-full-screen") : t("captions.full-screen")}
      keys="f"
      isSmall
      onClick={toggleFullScreen}
    >
      {isFull ? <Minimize aria-hidden /> : <Maximize aria-hidden />}
    </IconButton>
  );
}

/** A browser that refuses leaves the page as it is. */
const toggleFullScreen = (): void =>
  void (
    document.fullscreenElement === null
      ? document.documentElement.requestFullscreen()
      : document.exitFullscreen()
  ).catch(() => undefined);

function onKey({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  const isInPage = target === document.body;
  if (key === "f" && isInPage && !ctrlKey && !metaKey && !altKey && desktopBridge() === undefined)
    toggleFullScreen();
}

const CloseButton = () => (
  <IconButton label={t("captions.close")} isSmall onClick={() => close()}>
    <X aria-hidden />
  </IconButton>
);
