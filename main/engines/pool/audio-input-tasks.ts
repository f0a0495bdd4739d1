// A child's tasks that read media files and live recordings: durations, cutting at pauses, splitting, playback copies.

import { open } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { isPlayable } from "../../audio/codec/browser-playback.ts";
import { type MediaDecoder, openDecoder } from "../../audio/codec/decode.ts";
import { sniffBytes, sniffContainer } from "../../audio/codec/formats.ts";
import { pcmToFloat } from "../../audio/codec/pcm.ts";
import type { InstalledModel } from "../../contract/models.ts";
import { sttSampleRateHz } from "../engine.ts";
import type { SileroModel } from "../vad/silero.ts";
import {
  createLiveSpeechSegmentation,
  type LiveSpeechSegmentation,
} from "./live-speech-segmentation.ts";
import { defaultMediaLimits } from "./media-limits.ts";
import type { ModelCache } from "./model-cache.ts";
import { openPlaybackPreparation, type PlaybackPreparation } from "./playback-preparation.ts";
import type { MediaLimits, TaskHandlers, TaskResult } from "./protocol.ts";
import { createSessions } from "./sessions.ts";
import { openSpeechSegmentation, type SpeechSegmentation } from "./speech-segmentation.ts";
import { openSpeechSplitter } from "./speech-splitter.ts";
import { openWavSplitter, type WavSplitter } from "./wav-splitter.ts";

type AudioInputTasks = Pick<
  TaskHandlers,
  | "segment.open"
  | "segment.step"
  | "duration"
  | "probe"
  | "prepare-playback.open"
  | "prepare-playback.step"
  | "split.open"
  | "split.step"
  | "segment-live.open"
  | "segment-live.step"
>;

/** Number of blocks decoded between two checks for cancellation. */
const blocksPerYield = 100;

export function createAudioInputTasks(vadModels: ModelCache<SileroModel>): {
  tasks: AudioInputTasks;
  closeSession(session: string): void;
  setLimits(limits: MediaLimits): void;
} {
  let limits = defaultMediaLimits;
  const segmentations = createSessions<SpeechSegmentation>();
  const preparations = createSessions<PlaybackPreparation>();
  const splitters = createSessions<WavSplitter>();
  const liveSegmentations = createSessions<LiveSpeechSegmentation & { close(): void }>();

  const openMedia = (mediaPath: string): MediaDecoder =>
    openDecoder(mediaPath, {
      sampleRateHz: sttSampleRateHz,
      maxDurationSec: limits.maxDurationSec,
    });

  const tasks: AudioInputTasks = {
    async "segment.open"({ session, vad, mediaPath, pcmPath }) {
      const openFile = (silero?: SileroModel): SpeechSegmentation =>
        openSpeechSegmentation(silero, mediaPath, pcmPath, limits);
      const segmentation =
        vad === undefined ? openFile() : await openWithVad(vadModels, vad, openFile);
      segmentations.add(session, segmentation);
      return { durationSec: segmentation.durationSec };
    },
    "segment.step": async ({ session, windowSec }, signal) =>
      segmentations.get(session).step(windowSec, signal),
    duration: async ({ mediaPath, isExact }, signal) =>
      measureDuration(openMedia(mediaPath), isExact, signal),
    probe: async ({ mediaPath }) => probe(openMedia(mediaPath), mediaPath),
    async "prepare-playback.open"({ session, mediaPath, peaksPath, copyPath }) {
      preparations.add(session, openPlaybackPreparation(mediaPath, peaksPath, copyPath, limits));
    },
    "prepare-playback.step": async ({ session, windowSec }, signal) =>
      preparations.get(session).step(windowSec, signal),
    async "split.open"({ session, mediaPath, fromSec, toSec, vad, channel }) {
      const decoder = { maxDurationSec: limits.maxDurationSec, channel };
      splitters.add(
        session,
        vad === undefined
          ? openWavSplitter(mediaPath, fromSec, toSec, decoder)
          : await openWithVad(vadModels, vad, (silero) =>
              openSpeechSplitter(silero, mediaPath, fromSec, toSec, decoder),
            ),
      );
    },
    "split.step": async ({ session, maxSec, wavPath }, signal) =>
      splitters.get(session).step(maxSec, wavPath, signal),
    async "segment-live.open"({ session, vad, policy }) {
      liveSegmentations.add(
        session,
        await openWithVad(vadModels, vad, (silero) => ({
          ...createLiveSpeechSegmentation(silero, policy),
          close() {},
        })),
      );
    },
    "segment-live.step": async ({ session, path, fromByte, toByte, endsSpeech }) =>
      liveSegmentations
        .get(session)
        .step(pcmToFloat(await readBytes(path, fromByte, toByte)), endsSpeech),
  };
  return {
    tasks,
    closeSession(session) {
      for (const sessions of [segmentations, preparations, splitters, liveSegmentations])
        sessions.close(session);
    },
    setLimits(newLimits) {
      limits = newLimits;
    },
  };
}

/** Opens a session that keeps the VAD model leased until it is closed. */
async function openWithVad<Session extends { close(): void }>(
  vadModels: ModelCache<SileroModel>,
  vad: InstalledModel,
  openSession: (silero: SileroModel) => Session,
): Promise<Session> {
  const { model, release } = await vadModels.acquire(vad);
  try {
    const session = openSession(model);
    return { ...session, close: () => (session.close(), release()) };
  } catch (error) {
    release();
    throw error;
  }
}

/** Closes the decoder. */
async function measureDuration(
  decoder: MediaDecoder,
  isExact: boolean,
  signal: AbortSignal,
): Promise<TaskResult<"duration">> {
  try {
    if (decoder.durationSec !== undefined && !isExact) return { durationSec: decoder.durationSec };
    let durationSec = 0;
    for (
      let block = decoder.read(), count = 1;
      block !== undefined;
      block = decoder.read(), count += 1
    ) {
      durationSec += block.length / sttSampleRateHz;
      // Lets a cancel message arrive between two blocks.
      if (count % blocksPerYield === 0) await turn();
      signal.throwIfAborted();
    }
    return { durationSec };
  } finally {
    decoder.close();
  }
}

/** Closes the decoder. */
async function probe(decoder: MediaDecoder, mediaPath: string): Promise<TaskResult<"probe">> {
  decoder.close();
  const container = sniffContainer(await readBytes(mediaPath, 0, sniffBytes));
  return { durationSec: decoder.durationSec, isPlayable: isPlayable(container, decoder.codec) };
}

/** Bytes from `from` to `to` (exclusive) of a file; fewer if the file is shorter. */
async function readBytes(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
