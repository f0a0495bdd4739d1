// The recording that is going on, if one is: it goes on while other pages are open. The lamp is lit only once sound
// arrives and there is a place on disk for it; what came before is kept too.

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
  /** Name of the microphone, or of what is shared; empty where it is not told. */
  readonly sourceLabel: string;
  /** What went wrong: with beginning, or, while it records, with sending. */
  readonly message: string | undefined;
};

const sampleRateHz = 16_000;
/** Last words are spoken while the finger is on the button. */
const stopDelayMs = 400;
/** Browsers let no more than 64 kB through as a page goes away. */
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
/** Place of the item's first sample in all that was recorded. */
let itemStartSample = 0;

const levelListeners = new Set<(peak: number) => void>();
/** Hears the loudest value of every twentieth of a second, 0 to 1. */
export function onLevel(listener: (peak: number) => void): () => void {
  levelListeners.add(listener);
  return () => void levelListeners.delete(listener);
}

/** Begins a recording. @returns its item's id; undefined where it could not begin, which the state's message explains. */
export async function startRecording(title: string): Promise<string | undefined> {
  if (get().phase !== "idle") return undefined;
  set({ ...idleState, phase: "starting" });
  // It would hear what is played.
  pause();
  const bufferedBlocks: Int16Array[] = [];
  const { recordFrom } = usePreferences.getState();
  let isSourceLost = false;
  const onSourceLost = (): void => {
    isSourceLost = true;
    // Does nothing before there is a recording to be ended.
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
          // The app was started anew meanwhile and heard what it had: the rest becomes a recording of its own.
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

/** Ends it: resolves when every sample is on disk and the app has begun to hear it, however long that takes. */
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
  // It ended by itself, and whoever looks at another page would not see why.
  if (message !== undefined && parseRoute(location.hash).page !== "transcribe")
    toast({ tone: "bad", text: message });
}

async function endUntilAccepted(itemId: string): Promise<void> {
  for (;;) {
    try {
      storeItem(await endRecording(itemId));
      return;
    } catch (error) {
      // Refused: it was ended elsewhere, or removed. Anything else is worth another try.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return;
      set({ message: t("transcribe.record.unsent", { why: messageOf(error) }) });
      await new Promise((resolve) => setTimeout(resolve, endRetryMs));
    }
  }
}

/** The last second goes along as the page goes away; the app keeps the recording and hears it. */
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
