// What a child does for each task of protocol.ts. Models are leased; sessions (a file being listened to, a file
// being encoded) live here until they are closed.

import { openDecoder } from '../../audio/decode.ts';
import { openEncoder, type Encoder } from '../../audio/encode.ts';
import { joinSamples } from '../../audio/pcm.ts';
import { readPcmFile, readPcmSpan, writePcmFile } from '../../audio/pcm-file.ts';
import type { PieceSpan } from '../../audio/segments.ts';
import { loadSpeechToText, loadTextToSpeech, loadVoiceActivity } from '../engine-list.ts';
import type { SpeechPiece } from '../engine.ts';
import { openListening, type Listening, listeningRateHz } from './listening.ts';
import { createLoadedModels } from './loaded-models.ts';
import type { TaskInput, TaskName, TaskResult } from './protocol.ts';

export type TaskTable = { [Name in TaskName]: (input: TaskInput<Name>, signal: AbortSignal) => Promise<TaskResult<Name>> };

/** A child is ended before that when it has nothing at all to do; this is for models among others in use. */
const modelIdleMs = 5 * 60_000;
/** What every voice of ours is made at. */
const speechRateHz = 24_000;

export function createTaskTable(): { tasks: TaskTable; forget(session: string): void } {
  const hearing = createLoadedModels(loadSpeechToText, modelIdleMs);
  const speaking = createLoadedModels(loadTextToSpeech, modelIdleMs);
  const voiceActivity = createLoadedModels(loadVoiceActivity, modelIdleMs);
  const listenings = new Map<string, Listening>();
  const encoders = new Map<string, Encoder>();

  const tasks: TaskTable = {
    async 'listen.open'({ session, voiceActivity: model, mediaPath, pcmPath }) {
      const { model: silero, release } = await voiceActivity.acquire(model);
      try {
        const listening = openListening(silero, mediaPath, pcmPath);
        listenings.set(session, { ...listening, close: () => (listening.close(), release()) });
        return { durationSec: listening.durationSec };
      } catch (error) {
        release();
        throw error;
      }
    },
    async duration({ mediaPath }, signal) {
      const decoder = openDecoder(mediaPath, { sampleRateHz: listeningRateHz });
      try {
        let durationSec = decoder.durationSec ?? 0;
        if (decoder.durationSec === undefined) for (let block = decoder.read(); block !== undefined && !signal.aborted; block = decoder.read()) durationSec += block.length / listeningRateHz;
        return { durationSec };
      } finally {
        decoder.close();
      }
    },
    'listen.step': async ({ session, windowSec }, signal) => found(listenings, session).step(windowSec, signal),
    hear: ({ model, pcmPath, pieces, options }, signal) =>
      hearing.lease(model, async (engine) => engine.run(await Promise.all(pieces.map((piece) => readPiece(pcmPath, piece))), options, signal)),
    'detect-language': ({ model, pcmPath, pieces }, signal) =>
      hearing.lease(model, async (engine) => {
        const samples = joinSamples((await Promise.all(pieces.map((piece) => readPiece(pcmPath, piece)))).map((piece) => piece.samples));
        return (await engine.detectLanguage?.(samples, signal)) ?? [];
      }),
    speak: ({ model, text, options, pcmPath }, signal) =>
      speaking.lease(model, async (engine) => {
        const samples = await engine.run(text, options, signal);
        await writePcmFile(pcmPath, samples);
        return { durationSec: samples.length / engine.sampleRateHz };
      }),
    phonemes: ({ model, lines }, signal) =>
      speaking.lease(model, async (engine) => {
        const read: string[] = [];
        for (const line of lines) {
          signal.throwIfAborted();
          read.push(await engine.phonemes(line));
        }
        return read;
      }),
    async 'encode.open'({ session, ...options }) {
      encoders.set(session, openEncoder({ ...options, sampleRateHz: speechRateHz }));
    },
    async 'encode.push'({ session, pcmPath }) {
      const samples = await readPcmFile(pcmPath);
      return found(encoders, session).encode(samples);
    },
    'encode.finish': async ({ session }) => found(encoders, session).finish(),
  };
  return {
    tasks,
    forget(session) {
      for (const sessions of [listenings, encoders]) {
        sessions.get(session)?.close();
        sessions.delete(session);
      }
    },
  };
}

async function readPiece(pcmPath: string, piece: PieceSpan): Promise<SpeechPiece> {
  const samples = await readPcmSpan(pcmPath, Math.round(piece.fromSec * listeningRateHz), Math.round(piece.toSec * listeningRateHz));
  return { samples, offsetSec: piece.fromSec, startSec: piece.startSec, endSec: piece.endSec, voicedSec: piece.voicedSec, voiceProb: piece.voiceProb };
}

function found<Session>(sessions: ReadonlyMap<string, Session>, id: string): Session {
  const session = sessions.get(id);
  if (session === undefined) throw new Error(`no session ${id} in this process`);
  return session;
}
