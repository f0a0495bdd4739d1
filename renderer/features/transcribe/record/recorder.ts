// The recording in progress, if any; it goes on while other pages are open. The lamp lights only when audio arrives and
// the app has created the item; audio from before that is kept too.

import { create } from "zustand";
import { messageOf } from "../../../api/error.ts";
import { openAudioInput } from "../../../bridge/audio-input.ts";
import {
  microphoneProblem,
  sharingProblem,
  type AudioInput,
} from "../../../bridge/audio-source.ts";
import { t } from "../../../messages/messages.ts";
import { pause } from "../../../stores/player.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { showRecording } from "../../../stores/recording.ts";
import { parseRoute } from "../../../stores/route.ts";
import { beginStoredRecording, type StoredRecording } from "../../../stores/stored-recording.ts";
import { toast } from "../../../stores/toasts.ts";

export type RecorderState = {
  readonly phase: "idle" | "starting" | "recording" | "paused" | "ending";
  readonly itemId: string | undefined;
  readonly recordedSec: number;
  /** Not on disk yet. */
  readonly unsentSec: number;
  /** Name of the microphone or of the shared source; empty if the browser does not reveal it. */
  readonly sourceLabel: string;
  /** Why starting failed or, while recording, why sending fails. */
  readonly message: string | undefined;
};

/** People press the button while they still say the last word. */
const stopDelayMs = 400;

const idleState: RecorderState = {
  phase: "idle",
  itemId: undefined,
  recordedSec: 0,
  unsentSec: 0,
  sourceLabel: "",
  message: undefined,
};
export const useRecorder = create<RecorderState>(() => idleState);
const { setState: set, getState: get } = useRecorder;

// The frame shows it on every page.
useRecorder.subscribe(({ phase, itemId, recordedSec }) => {
  const isShown =
    itemId !== undefined && (phase === "recording" || phase === "paused" || phase === "ending");
  showRecording(
    "recording",
    isShown
      ? {
          phase,
          sec: Math.floor(recordedSec),
          path: `/transcribe/${encodeURIComponent(itemId)}`,
          stop: () => stopRecording(),
        }
      : undefined,
  );
});

let input: AudioInput | undefined;
let stored: StoredRecording | undefined;

const levelListeners = new Set<(peak: number) => void>();
/** Calls back with the peak (0 to 1) of every 50 ms. */
export function onLevel(listener: (peak: number) => void): () => void {
  levelListeners.add(listener);
  return () => void levelListeners.delete(listener);
}

/** Starts a recording. @returns its item's id; undefined if it could not start, see `message` in the state */
export async function startRecording(title: string): Promise<string | undefined> {
  if (get().phase !== "idle") return undefined;
  set({ ...idleState, phase: "starting" });
  // The microphone would record the playback.
  pause();
  const bufferedBlocks: Int16Array[] = [];
  const { recordFrom } = usePreferences.getState();
  let isSourceLost = false;
  const onSourceLost = (): void => {
    isSourceLost = true;
    // Does nothing if the recording has not started yet.
    void stopRecording(t(`transcribe.record.lost.${recordFrom.kind}`));
  };
  try {
    input = await openAudioInput(recordFrom, {
      onBlock(samples, peak) {
        if (stored === undefined) bufferedBlocks.push(samples);
        else stored.push(samples);
        for (const listener of levelListeners) listener(peak);
      },
      onLost: onSourceLost,
    });
  } catch (error) {
    set({
      ...idleState,
      message: t(
        `transcribe.record.trouble.${recordFrom.kind === "system" ? sharingProblem(error) : microphoneProblem(error)}`,
      ),
    });
    return undefined;
  }
  try {
    const options = usePreferences.getState().transcribe;
    stored = await beginStoredRecording(title, options, {
      onChange: (state) => set(state),
      onItem: (itemId) => set({ itemId }),
    });
    for (const samples of bufferedBlocks) stored.push(samples);
    set({ phase: "recording", sourceLabel: input.label });
    if (isSourceLost) onSourceLost();
    return get().itemId;
  } catch (error) {
    await input.close();
    input = undefined;
    set({ ...idleState, message: messageOf(error) });
    return undefined;
  }
}

export function pauseRecording(): void {
  if (get().phase !== "recording") return;
  input?.pause();
  set({ phase: "paused" });
  for (const listener of levelListeners) listener(0);
}

export function resumeRecording(): void {
  if (get().phase !== "paused") return;
  input?.resume();
  set({ phase: "recording" });
}

/**
 * Stops the recording. Resolves when every sample is on disk and transcription has started, however long that takes.
 */
export async function stopRecording(message?: string): Promise<void> {
  const { phase, itemId } = get();
  if ((phase !== "recording" && phase !== "paused") || itemId === undefined) return;
  set({ phase: "ending" });
  if (phase === "recording") await new Promise((resolve) => setTimeout(resolve, stopDelayMs));
  await input?.close();
  input = undefined;
  await stored?.end();
  stored = undefined;
  set({ ...idleState, message });
  // The recording ended by itself, and the user of another page would not see why.
  if (message !== undefined && parseRoute(location.hash).page !== "transcribe")
    toast({ tone: "bad", text: message });
}
