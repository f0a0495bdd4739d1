// Recordings of this window (microphone or system audio): the frame shows them on every page, the title and the
// desktop's tray when the window is covered. Features register what they record; the recorders are their own.

import { create } from "zustand";
import { desktopBridge } from "../bridge/desktop.ts";

/** `dictation` and `captions` are in their own windows without the frame. */
export type RecordingKind = "recording" | "trial" | "dictation" | "captions";

export type Recording = {
  readonly kind: RecordingKind;
  /** `ending`: recording has stopped; the rest is being saved. */
  readonly phase: "recording" | "paused" | "ending";
  /** Whole seconds recorded so far. */
  readonly sec: number;
  /** Path of the page that shows it. */
  readonly path: string;
  /** Resolves when the recording is saved. */
  readonly stop: () => void | Promise<void>;
};

/** At most one of each kind, in the order in which they started. */
export const useRecordings = create<{ recordings: readonly Recording[] }>(() => ({
  recordings: [],
}));

/** Adds, updates or, if `recording` is undefined, removes the recording of that kind. */
export function showRecording(
  kind: RecordingKind,
  recording: Omit<Recording, "kind"> | undefined,
): void {
  const { recordings: before } = useRecordings.getState();
  const existing = before.find((each) => each.kind === kind);
  if (
    recording === undefined
      ? existing === undefined
      : existing?.phase === recording.phase &&
        existing.sec === recording.sec &&
        existing.path === recording.path
  )
    return;
  const next = recording && { kind, ...recording };
  const recordings =
    existing === undefined
      ? [...before, ...(next ? [next] : [])]
      : before.flatMap((each) => (each !== existing ? [each] : (next ?? [])));
  useRecordings.setState({ recordings });
  if (before.length === 0) addEventListener("beforeunload", warnBeforeUnload);
  if (recordings.length === 0) removeEventListener("beforeunload", warnBeforeUnload);
  notifyDesktop(recordings);
}

/** Closing or reloading the page would end a recording; going to another page does not. */
const warnBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault();

/** The first one: the tray has space for one. */
function notifyDesktop([first]: readonly Recording[]): void {
  // A failure to show it must not affect the recording.
  void desktopBridge()
    ?.setRecording(first && { phase: first.phase, sec: first.sec })
    .catch(() => undefined);
}
