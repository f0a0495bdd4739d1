// The recording in progress, if any; it goes on while other pages are open. The lamp lights only when audio arrives and
// the app has created the item; audio from before that is kept too.

import { create } from "zustand";
import { messageOf } from "../../../api/error.ts";
import { openAudioInput, shareSystemAudio, stopTracks } from "../../../bridge/audio-input.ts";
import {
  microphoneProblem,
  sharingProblem,
  type AudioInput,
  type AudioSource,
} from "../../../bridge/audio-source.ts";
import { t } from "../../../messages/messages.ts";
import { pause } from "../../../stores/player.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { showRecording } from "../../../stores/recording.ts";
import { parseRoute } from "../../../stores/route.ts";
import { beginStoredRecording, type StoredRecording } from "../../../stores/stored-recording.ts";
import { toast } from "../../../stores/toasts.ts";
import { createSilenceWatch } from "../../../ui/level.ts";
import { createRecordingInput, type RecordingInput } from "./recording-input.ts";
import { systemTrack } from "./system-track.ts";

export type RecorderState = {
  readonly phase: "idle" | "starting" | "recording" | "paused" | "ending";
  readonly itemId: string | undefined;
  readonly recordedSec: number;
  /** Not on disk yet. */
  readonly unsentSec: number;
  /** Name of the microphone or of the shared source; empty if the browser does not reveal it. */
  readonly sourceLabel: string;
  /** The system's audio is a second track: only the microphone beside it can be changed. */
  readonly hasSystemTrack: boolean;
  /** Another input is recorded than the chosen one, which was not connected or is no longer. */
  readonly fallback: { readonly from: string; readonly reason: "missing" | "lost" } | undefined;
  /** There was no sound for a while. */
  readonly isSilent: boolean;
  /** Why the input could not be changed; the previous one goes on. */
  readonly inputProblem: string | undefined;
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
  hasSystemTrack: false,
  fallback: undefined,
  isSilent: false,
  inputProblem: undefined,
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

let input: RecordingInput | undefined;
/** The second track, if there is one; it stays when the input is changed. */
let systemAudio: MediaStream | undefined;
let stored: StoredRecording | undefined;

const levelListeners = new Set<(peak: number) => void>();
/** Calls back with the peak (0 to 1) of every 50 ms. */
export function onLevel(listener: (peak: number) => void): () => void {
  levelListeners.add(listener);
  return () => void levelListeners.delete(listener);
}

const silenceWatch = createSilenceWatch((state) => set({ isSilent: state === "silence" }));

const openProblem = ({ kind }: AudioSource, error: unknown): string =>
  t(
    `transcribe.record.trouble.${kind === "system" ? sharingProblem(error) : microphoneProblem(error)}`,
  );

/** Starts a recording. @returns its item's id; undefined if it could not start, see `message` in the state */
export async function startRecording(title: string): Promise<string | undefined> {
  if (get().phase !== "idle") return undefined;
  set({ ...idleState, phase: "starting" });
  // The microphone would record the playback.
  pause();
  const bufferedBlocks: Int16Array[] = [];
  const { recordFrom, recordsSystemTrack } = usePreferences.getState();
  const hasSystemTrack = recordsSystemTrack && systemTrack(recordFrom) === "possible";
  let lostSource: AudioSource | undefined;
  const onLost = (source: AudioSource): void => {
    lostSource = source;
    // Otherwise once the recording has started.
    if (get().phase !== "starting") void replaceLostInput(source);
  };
  input = createRecordingInput({
    open: (source, events) => openAudioInput(source, events, systemAudio),
    onBlock(samples, peak) {
      if (stored === undefined) bufferedBlocks.push(samples);
      else stored.push(samples);
      silenceWatch.addPeak(peak);
      for (const listener of levelListeners) listener(peak);
    },
    onLost,
  });
  let opened: AudioInput;
  let opening: AudioSource = { kind: "system" };
  try {
    // First: browsers share the system's audio only right after a click.
    if (hasSystemTrack) await openSystemTrack(onLost);
    opening = recordFrom;
    opened = await input.open(recordFrom);
  } catch (error) {
    await closeInput();
    set({ ...idleState, message: openProblem(opening, error) });
    return undefined;
  }
  try {
    const options = {
      ...usePreferences.getState().transcribe,
      ...(hasSystemTrack && {
        tracks: [t("transcribe.record.me"), t("transcribe.record.others")],
      }),
    };
    stored = await beginStoredRecording(title, options, {
      onChange: (state) => set(state),
      onItem: (itemId) => set({ itemId }),
    });
    for (const samples of bufferedBlocks) stored.push(samples);
    set({ phase: "recording", hasSystemTrack, ...inputState(opened) });
    silenceWatch.start();
    if (lostSource !== undefined) void replaceLostInput(lostSource);
    return get().itemId;
  } catch (error) {
    await closeInput();
    set({ ...idleState, message: messageOf(error) });
    return undefined;
  }
}

async function openSystemTrack(onLost: (source: AudioSource) => void): Promise<void> {
  systemAudio = await shareSystemAudio();
  for (const track of systemAudio.getAudioTracks())
    track.addEventListener("ended", () => onLost({ kind: "system" }));
}

async function closeInput(): Promise<void> {
  await input?.close();
  input = undefined;
  if (systemAudio !== undefined) stopTracks(systemAudio);
  systemAudio = undefined;
}

const inputState = ({ label, missingDevice }: AudioInput) => ({
  sourceLabel: label,
  fallback:
    missingDevice === undefined ? undefined : { from: missingDevice, reason: "missing" as const },
  inputProblem: undefined,
});

const isRunning = (): boolean => get().phase === "recording" || get().phase === "paused";

/** Records from the input that is chosen now; the recording goes on. */
export async function changeRecordingInput(): Promise<void> {
  if (!isRunning()) return;
  const { recordFrom } = usePreferences.getState();
  // What was chosen on another page or in another window.
  if (get().hasSystemTrack && systemTrack(recordFrom) === "needless")
    return set({ inputProblem: t("transcribe.tracks.fixed") });
  try {
    const opened = await input?.open(recordFrom);
    if (opened === undefined || !isRunning()) return;
    set(inputState(opened));
    if (get().phase === "recording") silenceWatch.start();
  } catch (error) {
    set({ inputProblem: openProblem(recordFrom, error) });
  }
}

/** A microphone was unplugged: the default one goes on with what is being said. Without one, the recording ends. */
async function replaceLostInput({ kind, deviceLabel }: AudioSource): Promise<void> {
  if (!isRunning()) return;
  const from = get().sourceLabel || (deviceLabel ?? "");
  try {
    if (kind === "system") throw new DOMException("", "NotFoundError");
    const opened = await input?.open({ kind: "microphone" });
    if (opened === undefined || !isRunning()) return;
    set({ ...inputState(opened), fallback: { from, reason: "lost" } });
    if (get().phase === "recording") silenceWatch.start();
  } catch {
    await stopRecording(t(`transcribe.record.lost.${kind}`));
  }
}

export function pauseRecording(): void {
  if (get().phase !== "recording") return;
  input?.pause();
  silenceWatch.stop();
  set({ phase: "paused", isSilent: false });
  for (const listener of levelListeners) listener(0);
}

export function resumeRecording(): void {
  if (get().phase !== "paused") return;
  input?.resume();
  silenceWatch.start();
  set({ phase: "recording" });
}

/**
 * Stops the recording. Resolves when every sample is on disk and transcription has started, however long that takes.
 */
export async function stopRecording(message?: string): Promise<void> {
  const { phase, itemId } = get();
  if ((phase !== "recording" && phase !== "paused") || itemId === undefined) return;
  set({ phase: "ending", isSilent: false });
  silenceWatch.stop();
  if (phase === "recording") await new Promise((resolve) => setTimeout(resolve, stopDelayMs));
  await closeInput();
  await stored?.end();
  stored = undefined;
  set({ ...idleState, message });
  // The recording ended by itself, and the user of another page would not see why.
  if (message !== undefined && parseRoute(location.hash).page !== "transcribe")
    toast({ tone: "bad", text: message });
}
