// Tracks which windows are recording, as reported by their pages: a window may be hidden, its recording may not.

import type { WebContents } from "electron";
import type { PageCommand, RecordingState } from "../contract/desktop-bridge.ts";
import { pushNames } from "./ipc-names.ts";
import type { Outbox } from "./outbox.ts";

export type Recordings = {
  /** Called by a page; undefined: it does not record. */
  set(contents: WebContents, state: RecordingState | undefined): void;
  /** The one that started first. */
  current(): RecordingState | undefined;
  isRecording(contents: WebContents): boolean;
  /** All windows that record. */
  all(): readonly WebContents[];
};

/** @param onChange `isPhaseChange`: more than the time has changed */
export function createRecordings(onChange: (isPhaseChange: boolean) => void): Recordings {
  const states = new Map<WebContents, RecordingState>();
  const watched = new WeakSet<WebContents>();
  const current = (): RecordingState | undefined => states.values().next().value;

  function set(contents: WebContents, state: RecordingState | undefined): void {
    const previousPhase = current()?.phase;
    if (state === undefined) states.delete(contents);
    else if (!contents.isDestroyed()) states.set(contents, state);
    watchForEnd(contents);
    onChange(current()?.phase !== previousPhase);
  }

  /** A page that is gone cannot report the end of its recording. */
  function watchForEnd(contents: WebContents): void {
    if (watched.has(contents)) return;
    watched.add(contents);
    const endRecording = (): void => {
      if (states.has(contents)) set(contents, undefined);
    };
    contents.on("destroyed", endRecording);
    contents.on("render-process-gone", endRecording);
    contents.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) endRecording();
    });
  }

  return {
    set,
    current,
    isRecording: (contents) => states.has(contents),
    all: () => [...states.keys()],
  };
}

/** Tells every page that records to stop. */
export function stopRecordings(
  recordings: Pick<Recordings, "all">,
  outbox: Pick<Outbox, "send">,
  isDictationWindow: (contents: WebContents) => boolean,
): void {
  for (const contents of recordings.all()) {
    if (isDictationWindow(contents))
      outbox.send(contents, pushNames.dictationStop, undefined, true);
    else
      outbox.send(contents, pushNames.command, {
        type: "run",
        actionId: "recording.stop",
      } satisfies PageCommand);
  }
}
