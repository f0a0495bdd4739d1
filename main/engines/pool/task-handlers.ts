// What a child does for each task in protocol.ts. Models are leased. Sessions (a file being segmented, a file being
// encoded) are kept here until closed.

import { open } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { openDecoder } from "../../audio/codec/decode.ts";
import { openEncoder, type Encoder } from "../../audio/codec/encode.ts";
import { sniffBytes, sniffContainer } from "../../audio/codec/formats.ts";
import { joinSamples, pcmToFloat } from "../../audio/codec/pcm.ts";
import { readPcmFile, readPcmRange, writePcmFile } from "../../audio/codec/pcm-file.ts";
import { isPlayable } from "../../audio/codec/browser-playback.ts";
import { saveTake } from "../../audiobook/take.ts";
import type { SpeechSegmentSpan } from "../../audio/dsp/vad-segmenter.ts";
import { loadSpeechToText, loadTextToSpeech, loadVad } from "../engine-list.ts";
import type { SpeechSegment } from "../engine.ts";
import {
  type AudiobookAssembler,
  openAudiobookAssembler,
} from "../../audiobook/audiobook-assembler.ts";
import { type WavSplitter, openWavSplitter } from "./wav-splitter.ts";
import {
  createLiveSpeechSegmentation,
  type LiveSpeechSegmentation,
} from "./live-speech-segmentation.ts";
import {
  openSpeechSegmentation,
  type SpeechSegmentation,
  sttSampleRateHz,
} from "./speech-segmentation.ts";
import { createModelCache } from "./model-cache.ts";
import { openPlaybackPreparation, type PlaybackPreparation } from "./playback-preparation.ts";
import { defaultMediaLimits } from "./media-limits.ts";
import type { MediaLimits, TaskInput, TaskName, TaskResult } from "./protocol.ts";
import { openSpeechSplitter } from "./speech-splitter.ts";

export type TaskHandlers = {
  [Name in TaskName]: (input: TaskInput<Name>, signal: AbortSignal) => Promise<TaskResult<Name>>;
};

/** For models unused while others are in use; a child without any work is ended sooner. */
const modelIdleMs = 5 * 60_000;
/** Number of blocks decoded between two checks for cancellation. */
const blocksPerYield = 100;
/** Sample rate of all built-in voices. */
const ttsSampleRateHz = 24_000;

/** @param onLetGo called after an idle model was unloaded */
export function createTaskHandlers(onLetGo: () => void): {
  tasks: TaskHandlers;
  closeSession(session: string): void;
  loadedModels(): [id: string, bytes: number][];
  setLimits(limits: MediaLimits): void;
} {
  let limits = defaultMediaLimits;
  const cacheOptions = { idleMs: modelIdleMs, onLetGo };
  const sttModels = createModelCache(loadSpeechToText, cacheOptions);
  const ttsModels = createModelCache(loadTextToSpeech, cacheOptions);
  const vadModels = createModelCache(loadVad, cacheOptions);
  const segmentations = new Map<string, SpeechSegmentation>();
  const encoders = new Map<string, Encoder>();
  const preparations = new Map<string, PlaybackPreparation>();
  const splitters = new Map<string, WavSplitter>();
  const assemblers = new Map<string, AudiobookAssembler>();
  const liveSegmentations = new Map<string, LiveSpeechSegmentation & { close(): void }>();

  const tasks: TaskHandlers = {
    async "segment.open"({ session, vad: model, mediaPath, pcmPath }) {
      const { model: silero, release } = await vadModels.acquire(model);
      try {
        const segmentation = openSpeechSegmentation(silero, mediaPath, pcmPath, limits);
        segmentations.set(session, {
          ...segmentation,
          close: () => (segmentation.close(), release()),
        });
        return { durationSec: segmentation.durationSec };
      } catch (error) {
        release();
        throw error;
      }
    },
    async duration({ mediaPath, isExact }, signal) {
      const decoder = openDecoder(mediaPath, {
        sampleRateHz: sttSampleRateHz,
        maxDurationSec: limits.maxDurationSec,
      });
      try {
        if (decoder.durationSec !== undefined && !isExact)
          return { durationSec: decoder.durationSec };
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
    },
    "segment.step": async ({ session, windowSec }, signal) =>
      requireSession(segmentations, session).step(windowSec, signal),
    async probe({ mediaPath }) {
      const decoder = openDecoder(mediaPath, {
        sampleRateHz: sttSampleRateHz,
        maxDurationSec: limits.maxDurationSec,
      });
      decoder.close();
      return {
        durationSec: decoder.durationSec,
        isPlayable: isPlayable(
          sniffContainer(await readBytes(mediaPath, 0, sniffBytes)),
          decoder.codec,
        ),
      };
    },
    async "prepare-playback.open"({ session, mediaPath, peaksPath, copyPath }) {
      preparations.set(session, openPlaybackPreparation(mediaPath, peaksPath, copyPath, limits));
    },
    "prepare-playback.step": async ({ session, windowSec }, signal) =>
      requireSession(preparations, session).step(windowSec, signal),
    async "split.open"({ session, mediaPath, fromSec, toSec, vad: model }) {
      if (model === undefined)
        return void splitters.set(
          session,
          openWavSplitter(mediaPath, fromSec, toSec, limits.maxDurationSec),
        );
      const { model: silero, release } = await vadModels.acquire(model);
      try {
        const splitter = openSpeechSplitter(
          silero,
          mediaPath,
          fromSec,
          toSec,
          limits.maxDurationSec,
        );
        splitters.set(session, { ...splitter, close: () => (splitter.close(), release()) });
      } catch (error) {
        release();
        throw error;
      }
    },
    "split.step": ({ session, maxSec, wavPath }, signal) =>
      requireSession(splitters, session).step(maxSec, wavPath, signal),
    async "segment-live.open"({ session, vad: model }) {
      const { model: silero, release } = await vadModels.acquire(model);
      liveSegmentations.set(session, { ...createLiveSpeechSegmentation(silero), close: release });
    },
    "segment-live.step": async ({ session, path, fromByte, toByte }) =>
      requireSession(liveSegmentations, session).step(
        pcmToFloat(await readBytes(path, fromByte, toByte)),
      ),
    transcribe: ({ model, pcmPath, speechSegments, options }, signal) =>
      sttModels.lease(model, async (engine) =>
        engine.transcribe(
          await Promise.all(
            speechSegments.map((speechSegment) => readSpeechSegment(pcmPath, speechSegment)),
          ),
          options,
          signal,
        ),
      ),
    "detect-language": ({ model, pcmPath, speechSegments }, signal) =>
      sttModels.lease(model, async (engine) => {
        const samples = joinSamples(
          (
            await Promise.all(
              speechSegments.map((speechSegment) => readSpeechSegment(pcmPath, speechSegment)),
            )
          ).map((speechSegment) => speechSegment.samples),
        );
        return (await engine.detectLanguage?.(samples, signal)) ?? [];
      }),
    synthesize: ({ model, text, options, pcmPath }, signal) =>
      ttsModels.lease(model, async (engine) => {
        const samples = await engine.synthesize(text, options, signal);
        await writePcmFile(pcmPath, samples);
        return { durationSec: samples.length / engine.sampleRateHz };
      }),
    "save-take": ({ mediaPath, wavPath }) => saveTake(mediaPath, wavPath),
    async "assemble.open"({ session, pass }) {
      assemblers.set(session, openAudiobookAssembler(pass));
    },
    "assemble.add": ({ session, parts }, signal) =>
      requireSession(assemblers, session).add(parts, signal),
    "assemble.finish": async ({ session }) => requireSession(assemblers, session).finish(),
    phonemes: ({ model, lines }, signal) =>
      ttsModels.lease(model, async (engine) => {
        const result: string[] = [];
        for (const line of lines) {
          signal.throwIfAborted();
          result.push(await engine.phonemes(line));
        }
        return result;
      }),
    async "encode.open"({ session, ...options }) {
      encoders.set(session, openEncoder({ ...options, sampleRateHz: ttsSampleRateHz }));
    },
    async "encode.push"({ session, pcmPath }) {
      const samples = await readPcmFile(pcmPath);
      return requireSession(encoders, session).encode(samples);
    },
    "encode.finish": async ({ session }) => requireSession(encoders, session).finish(),
  };
  return {
    tasks,
    closeSession(session) {
      for (const sessions of [
        segmentations,
        encoders,
        preparations,
        splitters,
        assemblers,
        liveSegmentations,
      ]) {
        sessions.get(session)?.close();
        sessions.delete(session);
      }
    },
    setLimits(newLimits) {
      limits = newLimits;
    },
    loadedModels: () =>
      [sttModels, ttsModels, vadModels].flatMap((models) => models.loadedModels()),
  };
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

async function readSpeechSegment(
  pcmPath: string,
  speechSegment: SpeechSegmentSpan,
): Promise<SpeechSegment> {
  const {
    fromSec,
    toSec,
    quietFromSec = fromSec,
    quietToSec = toSec,
    startSec,
    endSec,
    voicedSec,
    voiceProb,
  } = speechSegment;
  const [first, from, to, last] = [quietFromSec, fromSec, toSec, quietToSec].map((sec) =>
    Math.round(sec * sttSampleRateHz),
  ) as [number, number, number, number];
  const samples = await readPcmRange(pcmPath, first, last);
  const part = (begin: number, end: number): Float32Array =>
    samples.subarray(begin - first, end - first);
  return {
    samples: part(from, to),
    before: part(first, from),
    after: part(to, last),
    offsetSec: fromSec,
    startSec,
    endSec,
    voicedSec,
    voiceProb,
  };
}

function requireSession<Session>(sessions: ReadonlyMap<string, Session>, id: string): Session {
  const session = sessions.get(id);
  if (session === undefined) throw new Error(`no session ${id} in this process`);
  return session;
}
