// What a child does for each task of protocol.ts. Models are leased; sessions (a file being listened to, a file
// being encoded) live here until they are closed.

import { open } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { openDecoder } from "../../audio/codec/decode.ts";
import { openEncoder, type Encoder } from "../../audio/codec/encode.ts";
import { sniffBytes, sniffContainer } from "../../audio/codec/formats.ts";
import { joinSamples, pcmToFloat } from "../../audio/codec/pcm.ts";
import { readPcmFile, readPcmSpan, writePcmFile } from "../../audio/codec/pcm-file.ts";
import { isPlayable } from "../../audio/codec/playable.ts";
import { keepTake } from "../../audiobook/take.ts";
import type { PieceSpan } from "../../audio/dsp/segments.ts";
import { loadSpeechToText, loadTextToSpeech, loadVoiceActivity } from "../engine-list.ts";
import type { SpeechPiece } from "../engine.ts";
import { type BookMaking, openBookMaking } from "../../audiobook/book-making.ts";
import { type Cutting, openCutting } from "./cutting.ts";
import { createLiveListening, type LiveListening } from "./live-listening.ts";
import { openListening, type Listening, listeningRateHz } from "./listening.ts";
import { createLoadedModels } from "./loaded-models.ts";
import { openPreparing, type Preparing } from "./preparing.ts";
import { defaultMediaLimits } from "./media-limits.ts";
import type { MediaLimits, TaskInput, TaskName, TaskResult } from "./protocol.ts";
import { openSpeechCutting } from "./speech-cutting.ts";

export type TaskTable = {
  [Name in TaskName]: (input: TaskInput<Name>, signal: AbortSignal) => Promise<TaskResult<Name>>;
};

/** A child is ended before that when it has nothing at all to do; this is for models among others in use. */
const modelIdleMs = 5 * 60_000;
/** So many blocks are decoded before a cancel is listened for. */
const blocksAtOnce = 100;
/** What every voice of ours is made at. */
const speechRateHz = 24_000;

/** @param onLetGo called when a model was let go that nobody used for a while */
export function createTaskTable(onLetGo: () => void): {
  tasks: TaskTable;
  forget(session: string): void;
  loaded(): [id: string, bytes: number][];
  setLimits(limits: MediaLimits): void;
} {
  let limits = defaultMediaLimits;
  const keeping = { idleMs: modelIdleMs, onLetGo };
  const hearing = createLoadedModels(loadSpeechToText, keeping);
  const speaking = createLoadedModels(loadTextToSpeech, keeping);
  const voiceActivity = createLoadedModels(loadVoiceActivity, keeping);
  const listenings = new Map<string, Listening>();
  const encoders = new Map<string, Encoder>();
  const preparings = new Map<string, Preparing>();
  const cuttings = new Map<string, Cutting>();
  const books = new Map<string, BookMaking>();
  const lives = new Map<string, LiveListening & { close(): void }>();

  const tasks: TaskTable = {
    async "listen.open"({ session, voiceActivity: model, mediaPath, pcmPath }) {
      const { model: silero, release } = await voiceActivity.acquire(model);
      try {
        const listening = openListening(silero, mediaPath, pcmPath, limits);
        listenings.set(session, { ...listening, close: () => (listening.close(), release()) });
        return { durationSec: listening.durationSec };
      } catch (error) {
        release();
        throw error;
      }
    },
    async duration({ mediaPath, isExact }, signal) {
      const decoder = openDecoder(mediaPath, {
        sampleRateHz: listeningRateHz,
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
          durationSec += block.length / listeningRateHz;
          // A cancel is heard between two blocks.
          if (count % blocksAtOnce === 0) await turn();
          signal.throwIfAborted();
        }
        return { durationSec };
      } finally {
        decoder.close();
      }
    },
    "listen.step": async ({ session, windowSec }, signal) =>
      found(listenings, session).step(windowSec, signal),
    async probe({ mediaPath }) {
      const decoder = openDecoder(mediaPath, {
        sampleRateHz: listeningRateHz,
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
    async "prepare.open"({ session, mediaPath, peaksPath, copyPath }) {
      preparings.set(session, openPreparing(mediaPath, peaksPath, copyPath, limits));
    },
    "prepare.step": async ({ session, windowSec }, signal) =>
      found(preparings, session).step(windowSec, signal),
    async "cut.open"({ session, mediaPath, fromSec, toSec, voiceActivity: model }) {
      if (model === undefined)
        return void cuttings.set(
          session,
          openCutting(mediaPath, fromSec, toSec, limits.maxDurationSec),
        );
      const { model: silero, release } = await voiceActivity.acquire(model);
      try {
        const cutting = openSpeechCutting(silero, mediaPath, fromSec, toSec, limits.maxDurationSec);
        cuttings.set(session, { ...cutting, close: () => (cutting.close(), release()) });
      } catch (error) {
        release();
        throw error;
      }
    },
    "cut.step": ({ session, maxSec, wavPath }, signal) =>
      found(cuttings, session).step(maxSec, wavPath, signal),
    async "live.open"({ session, voiceActivity: model }) {
      const { model: silero, release } = await voiceActivity.acquire(model);
      lives.set(session, { ...createLiveListening(silero), close: release });
    },
    "live.step": async ({ session, path, fromByte, toByte }) =>
      found(lives, session).step(pcmToFloat(await readBytes(path, fromByte, toByte))),
    hear: ({ model, pcmPath, pieces, options }, signal) =>
      hearing.lease(model, async (engine) =>
        engine.run(
          await Promise.all(pieces.map((piece) => readPiece(pcmPath, piece))),
          options,
          signal,
        ),
      ),
    "detect-language": ({ model, pcmPath, pieces }, signal) =>
      hearing.lease(model, async (engine) => {
        const samples = joinSamples(
          (await Promise.all(pieces.map((piece) => readPiece(pcmPath, piece)))).map(
            (piece) => piece.samples,
          ),
        );
        return (await engine.detectLanguage?.(samples, signal)) ?? [];
      }),
    speak: ({ model, text, options, pcmPath }, signal) =>
      speaking.lease(model, async (engine) => {
        const samples = await engine.run(text, options, signal);
        await writePcmFile(pcmPath, samples);
        return { durationSec: samples.length / engine.sampleRateHz };
      }),
    take: ({ mediaPath, wavPath }) => keepTake(mediaPath, wavPath),
    async "book.open"({ session, aim }) {
      books.set(session, openBookMaking(aim));
    },
    "book.add": ({ session, parts }, signal) => found(books, session).add(parts, signal),
    "book.finish": async ({ session }) => found(books, session).finish(),
    phonemes: ({ model, lines }, signal) =>
      speaking.lease(model, async (engine) => {
        const read: string[] = [];
        for (const line of lines) {
          signal.throwIfAborted();
          read.push(await engine.phonemes(line));
        }
        return read;
      }),
    async "encode.open"({ session, ...options }) {
      encoders.set(session, openEncoder({ ...options, sampleRateHz: speechRateHz }));
    },
    async "encode.push"({ session, pcmPath }) {
      const samples = await readPcmFile(pcmPath);
      return found(encoders, session).encode(samples);
    },
    "encode.finish": async ({ session }) => found(encoders, session).finish(),
  };
  return {
    tasks,
    forget(session) {
      for (const sessions of [listenings, encoders, preparings, cuttings, books, lives]) {
        sessions.get(session)?.close();
        sessions.delete(session);
      }
    },
    setLimits(given) {
      limits = given;
    },
    loaded: () => [hearing, speaking, voiceActivity].flatMap((models) => models.loaded()),
  };
}

/** Bytes `from` to `to` (`to` excluded) of a file; fewer where it ends before. */
async function readBytes(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function readPiece(pcmPath: string, piece: PieceSpan): Promise<SpeechPiece> {
  const {
    fromSec,
    toSec,
    quietFromSec = fromSec,
    quietToSec = toSec,
    startSec,
    endSec,
    voicedSec,
    voiceProb,
  } = piece;
  const [first, from, to, last] = [quietFromSec, fromSec, toSec, quietToSec].map((sec) =>
    Math.round(sec * listeningRateHz),
  ) as [number, number, number, number];
  const all = await readPcmSpan(pcmPath, first, last);
  const part = (begin: number, end: number): Float32Array =>
    all.subarray(begin - first, end - first);
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

function found<Session>(sessions: ReadonlyMap<string, Session>, id: string): Session {
  const session = sessions.get(id);
  if (session === undefined) throw new Error(`no session ${id} in this process`);
  return session;
}
