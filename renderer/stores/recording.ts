// Where this window uses a microphone or the sound of the system at the moment: the frame shows it on every page, the
// title and the desktop's tray show it where the window is not seen. Features put in what they record; the recorders
// themselves stay theirs.

import { create } from "zustand";
import { desktopBridge } from "../bridge/desktop.ts";

/** `dictation` is a window of its own, without the frame. */
export type RecordingKind = "recording" | "trial" | "dictation";

export type Recording = {
  readonly kind: RecordingKind;
  /** `ending`: it listens no more; the rest is being saved. */
  readonly phase: "recording" | "paused" | "ending";
  /** Whole seconds recorded so far. */
  readonly sec: number;
  /** Address of the page that shows it. */
  readonly path: string;
  /** Resolves when what was recorded is kept. */
  readonly stop: () => void | Promise<void>;
};

/** One of a kind at most, in the order in which they began. */
export const useRecordings = create<{ recordings: readonly Recording[] }>(() => ({
  recordings: [],
}));

/** Begins, changes or, without `recording`, ends what is shown of that kind. */
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

/** Closing or reloading the page would end it; going to another page does not. */
const warnBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault();

/** The first one: the tray has room for one. */
function notifyDesktop([first]: readonly Recording[]): void {
  // A desktop that cannot show it takes nothing away from the recording.
  void desktopBridge()
    ?.setRecording(first && { phase: first.phase, sec: first.sec })
    .catch(() => undefined);
}
