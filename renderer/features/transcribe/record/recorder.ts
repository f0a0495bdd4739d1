// The recording in progress, if any; it goes on while other pages are open. The lamp lights only when audio arrives and
// the app has created the item; audio from before that is kept too.

import { create } from "zustand";
import { request } from "../../../api/client.ts";
import { ApiError, messageOf } from "../../../api/error.ts";
import { beginRecording, endRecording, sendAudio } from "../../../api/binary.ts";
import { openAudioInput } from "../../../bridge/audio-input.ts";
import {
  microphoneProblem,
  sharingProblem,
  type AudioInput,
} from "../../../bridge/audio-source.ts";
import { t } from "../../../messages/messages.ts";
import { storeItem } from "../../../stores/items.ts";
import { pause } from "../../../stores/player.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { showRecording } from "../../../stores/recording.ts";
import { parseRoute } from "../../../stores/route.ts";
import { toast } from "../../../stores/toasts.ts";
import { createAudioSender, type AudioSender } from "./audio-sender.ts";

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

const sampleRateHz = 16_000;
/** People press the button while they still say the last word. */
const stopDelayMs = 400;
/** Browsers allow at most 64 KiB for requests of a closing page. */
const maxKeepaliveSamples = 30_000;
const endRetryMs = 2000;

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
let sender: AudioSender | undefined;
/** Index of the item's first sample in the whole recording. */
let itemStartSample = 0;

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
        if (sender === undefined) bufferedBlocks.push(samples);
        else sender.push(samples);
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
    let item = await beginRecording(title, options);
    itemStartSample = 0;
    storeItem(item);
    sender = createAudioSender({
      async send(from, samples) {
        try {
          return itemStartSample + (await sendAudio(item.id, from - itemStartSample, samples));
        } catch (error) {
          // The app was restarted and transcribed what it had: the rest becomes a new item.
          if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409))
            throw error;
          item = await beginRecording(t("transcribe.record.rest", { title }), options);
          itemStartSample = from;
          storeItem(item);
          set({ itemId: item.id });
          return itemStartSample + (await sendAudio(item.id, 0, samples));
        }
      },
      onChange: ({ storedSamples, recordedSamples, message }) =>
        set({
          recordedSec: recordedSamples / sampleRateHz,
          unsentSec: (recordedSamples - storedSamples) / sampleRateHz,
          message:
            message === undefined ? undefined : t("transcribe.record.unsent", { why: message }),
        }),
    });
    for (const samples of bufferedBlocks) sender.push(samples);
    set({ phase: "recording", itemId: item.id, sourceLabel: input.label });
    addEventListener("pagehide", sendRestOnPageHide);
    if (isSourceLost) onSourceLost();
    return item.id;
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
  await sender?.end();
  await endUntilAccepted(get().itemId ?? itemId);
  sender = undefined;
  removeEventListener("pagehide", sendRestOnPageHide);
  set({ ...idleState, message });
  // The recording ended by itself, and the user of another page would not see why.
  if (message !== undefined && parseRoute(location.hash).page !== "transcribe")
    toast({ tone: "bad", text: message });
}

async function endUntilAccepted(itemId: string): Promise<void> {
  for (;;) {
    try {
      storeItem(await endRecording(itemId));
      return;
    } catch (error) {
      // Refused: it was ended elsewhere, or removed. Retry after any other error.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return;
      set({ message: t("transcribe.record.unsent", { why: messageOf(error) }) });
      await new Promise((resolve) => setTimeout(resolve, endRetryMs));
    }
  }
}

/** Sends the last second while the page closes; the app keeps the recording and transcribes it. */
function sendRestOnPageHide(): void {
  const { itemId } = get();
  if (sender === undefined || itemId === undefined) return;
  const { from, samples } = sender.unsent();
  if (samples.length === 0) return;
  const url = `/app/recordings/${encodeURIComponent(itemId)}/sound?from=${from - itemStartSample}`;
  void request(url, {
    method: "POST",
    body: samples.slice(0, maxKeepaliveSamples),
    headers: { "content-type": "application/octet-stream" },
    keepalive: true,
  }).catch(() => undefined);
}
