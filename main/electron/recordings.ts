// Which windows record at the moment, as their pages tell: a window may be hidden, its recording may not.

import type { WebContents } from "electron";
import type { RecordingState } from "../contract/shell-bridge.ts";

export type Recordings = {
  /** Told by a page; undefined: it does not record. */
  set(contents: WebContents, state: RecordingState | undefined): void;
  /** The one that began first. */
  current(): RecordingState | undefined;
  isOf(contents: WebContents): boolean;
  /** All that record. */
  all(): readonly WebContents[];
};

/** @param onChange `isPhase`: more than the time is another */
export function createRecordings(onChange: (isPhase: boolean) => void): Recordings {
  const states = new Map<WebContents, RecordingState>();
  const watched = new WeakSet<WebContents>();
  const current = (): RecordingState | undefined => states.values().next().value;

  function set(contents: WebContents, state: RecordingState | undefined): void {
    const before = current()?.phase;
    if (state === undefined) states.delete(contents);
    else if (!contents.isDestroyed()) states.set(contents, state);
    watch(contents);
    onChange(current()?.phase !== before);
  }

  /** A page that is gone cannot report the end of its recording. */
  function watch(contents: WebContents): void {
    if (watched.has(contents)) return;
    watched.add(contents);
    const end = (): void => {
      if (states.has(contents)) set(contents, undefined);
    };
    contents.on("destroyed", end);
    contents.on("render-process-gone", end);
    contents.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) end();
    });
  }

  return { set, current, isOf: (contents) => states.has(contents), all: () => [...states.keys()] };
}
