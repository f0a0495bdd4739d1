// Conversations with known speakers: recorded ones, and ones built from recordings of single voices, always the same
// from the same seed.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findQuietestSample } from "../../main/audio/dsp/quietest-sample.ts";
import { sttSampleRateHz as rateHz } from "../../main/engines/engine.ts";
import { loadVad } from "../../main/engines/engine-list.ts";
import { type SileroModel, vadFrameSamples } from "../../main/engines/vad/silero.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import type { SpeakerSpan } from "../support/diarization-error.ts";
import { allClips, readSamples, sharedAudioDir } from "../support/recordings.ts";

export type Conversation = { name: string; samples: Float32Array; truth: SpeakerSpan[] };

const conversationsDir = join(sharedAudioDir, "speakers");
const talkPattern = /^talk-.*\.ogg$/;

/** Four minutes each, put together from read speech. */
export const talks = (): Conversation[] => recorded(talkPattern);
/** Parts of meetings with far microphones. */
export const meetings = (): Conversation[] => recorded(/^ami-.*\.ogg$/);

function recorded(fileName: RegExp): Conversation[] {
  if (!existsSync(conversationsDir)) return [];
  return readdirSync(conversationsDir)
    .filter((file) => fileName.test(file))
    .sort()
    .map((file) => {
      const name = file.replace(/\.\w+$/, "");
      return {
        name,
        samples: readSamples(join(conversationsDir, file), rateHz),
        truth: readRttm(join(conversationsDir, `${name}.rttm`)),
      };
    });
}

/** RTTM: `SPEAKER file channel start duration <NA> <NA> name …`, times in seconds. */
const readRttm = (path: string): SpeakerSpan[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/))
    .map((fields) => ({
      fromSec: Number(fields[3]),
      toSec: Number(fields[3]) + Number(fields[4]),
      speaker: fields[7] ?? "",
    }));

/** What one person says without a long pause. */
type Utterance = { speaker: string; samples: Float32Array };
export type Voices = ReadonlyMap<string, readonly Utterance[]>;

/**
 * Clips of the same voice. Nobody wrote down who reads the clips: those put together here have voice prints with a
 * similarity above 0.5, all others below 0.42.
 */
const voicesInClips: readonly (readonly string[])[] = [
  ["fleurs-de-000", "fleurs-de-002"],
  ["fleurs-de-001", "fleurs-de-004"],
  ["fleurs-de-003"],
  ["fleurs-en-000"],
  ["fleurs-en-001"],
  ["fleurs-en-002", "fleurs-en-003", "fleurs-en-004"],
  ["fleurs-es-000", "fleurs-es-002"],
  ["fleurs-es-001", "fleurs-es-003", "fleurs-es-004"],
  ["fleurs-fr-000"],
  ["fleurs-fr-001"],
  ["fleurs-fr-002"],
  ["fleurs-fr-003", "fleurs-fr-004"],
  ["fleurs-pt-000"],
  ["fleurs-pt-001", "fleurs-pt-002"],
  ["fleurs-pt-003", "fleurs-pt-004"],
  ["harvard-8k"],
  ["jfk"],
];

/** By voice. */
export async function singleVoices(): Promise<Map<string, Utterance[]>> {
  const silero = await loadVad(shippedModel("silero-vad"));
  try {
    const utterances = [...(await utterancesOfClips(silero)), ...utterancesOfTalks()];
    return Map.groupBy(utterances, ({ speaker }) => speaker);
  } finally {
    await silero.close();
  }
}

async function utterancesOfClips(silero: SileroModel): Promise<Utterance[]> {
  const utterances: Utterance[] = [];
  for (const clips of voicesInClips) {
    for (const { path } of allClips().filter(({ name }) => clips.includes(name))) {
      const samples = readSamples(path, rateHz);
      for (const { fromSec, toSec } of await voicedSpans(silero, samples))
        utterances.push({ speaker: clips[0] ?? "", samples: cut(samples, fromSec, toSec) });
    }
  }
  return utterances;
}

/** Where nobody else talks, for at least half a second. */
function utterancesOfTalks(): Utterance[] {
  return talks().flatMap(({ samples, truth }) =>
    truth
      .filter(
        (span) =>
          span.toSec - span.fromSec >= 0.5 &&
          truth.every(
            (other) =>
              other.speaker === span.speaker ||
              other.toSec < span.fromSec - 0.05 ||
              other.fromSec > span.toSec + 0.05,
          ),
      )
      .map(({ fromSec, toSec, speaker }) => ({
        speaker: String(speaker),
        samples: cut(samples, fromSec, toSec),
      })),
  );
}

const cut = (samples: Float32Array, fromSec: number, toSec: number): Float32Array =>
  samples.subarray(Math.round(fromSec * rateHz), Math.round(toSec * rateHz));

/** Pauses up to this length belong to an utterance, as in the recorded conversations. */
const maxPauseSec = 0.35;
const maxUtteranceSec = 7;
const frameSec = vadFrameSamples / rateHz;

type Span = { fromSec: number; toSec: number };

/** Where voice activity detection, which tells no speakers apart, finds speech. */
async function voicedSpans(silero: SileroModel, samples: Float32Array): Promise<Span[]> {
  const probabilities = await silero.createVad().push(samples);
  const spans: Span[] = [];
  for (const [frame, probability] of probabilities.entries()) {
    if (probability < 0.5) continue;
    const fromSec = frame * frameSec;
    const last = spans.at(-1);
    if (last !== undefined && fromSec - last.toSec <= maxPauseSec) last.toSec = fromSec + frameSec;
    else spans.push({ fromSec, toSec: fromSec + frameSec });
  }
  return spans
    .filter(({ fromSec, toSec }) => toSec - fromSec >= 0.5)
    .flatMap((span) => splitLong(span, samples));
}

/** Halves a span that is longer than an utterance usually is, where it is quietest. */
function splitLong({ fromSec, toSec }: Span, samples: Float32Array): Span[] {
  const lengthSec = toSec - fromSec;
  if (lengthSec < maxUtteranceSec) return [{ fromSec, toSec }];
  const middleSec = fromSec + lengthSec / 3;
  const middle = cut(samples, middleSec, toSec - lengthSec / 3);
  const cutSec = middleSec + findQuietestSample(middle, rateHz) / rateHz;
  return [
    { fromSec, toSec: cutSec },
    { fromSec: cutSec, toSec },
  ].flatMap((half) => splitLong(half, samples));
}

const levelDb = (samples: Float32Array): number =>
  10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 1e-12) / samples.length);

export type BuildOptions = {
  seed: number;
  speakers: number;
  /** Level of white noise below the speech, in dB; none by default. */
  noiseDb?: number;
};

const maxConversationSec = 180;
/** Nobody says more, or a few voices with much material would decide the figures. */
const maxVoiceSec = 45;

/**
 * Turns of 1.5 to 12 s by voices of the map, gaps of 0.1 to 0.9 s, one turn in ten over the end of the one before,
 * levels ±4 dB. No utterance is used twice.
 */
export function buildConversation(
  voices: Voices,
  { seed, speakers, noiseDb }: BuildOptions,
): Conversation {
  const random = createRandom(seed);
  const between = (low: number, high: number): number => low + (high - low) * random();
  const left = shuffle([...voices], random)
    .slice(0, speakers)
    .map(([speaker, utterances]) => ({
      speaker,
      utterances: upTo(maxVoiceSec, shuffle(utterances, random)),
      gain: 10 ** (between(-4, 4) / 20) * 0.05,
    }));
  const samples = new Float32Array((maxConversationSec + 60) * rateHz);
  const truth: SpeakerSpan[] = [];
  let endSec = 0.5;
  for (let previous = -1; endSec < maxConversationSec;) {
    const candidates = left.filter(({ utterances }, i) => i !== previous && utterances.length > 0);
    const voice = candidates[Math.floor(random() * candidates.length)] ?? left[previous];
    if (voice === undefined || voice.utterances.length === 0) break;
    previous = left.indexOf(voice);
    const isOver = truth.length > 0 && random() < 0.1;
    let atSec = isOver ? Math.max(0, endSec - between(0.3, 1.5)) : endSec + between(0.1, 0.9);
    const turnSec = between(1.5, 12);
    for (let sec = 0; sec < turnSec && voice.utterances.length > 0;) {
      const utterance = (voice.utterances.pop() as Utterance).samples;
      const scale = voice.gain / 10 ** (levelDb(utterance) / 20);
      const at = Math.round(atSec * rateHz);
      for (const [i, sample] of utterance.entries()) samples[at + i]! += sample * scale;
      const lengthSec = utterance.length / rateHz;
      truth.push({ fromSec: atSec, toSec: atSec + lengthSec, speaker: voice.speaker });
      endSec = Math.max(endSec, atSec + lengthSec);
      sec += lengthSec;
      atSec += lengthSec + between(0.36, 0.6);
    }
  }
  if (noiseDb !== undefined) addNoise(samples, 0.05 / 10 ** (noiseDb / 20), random);
  return {
    name: `${speakers} voices, seed ${seed}${noiseDb === undefined ? "" : `, noise at ${noiseDb} dB`}`,
    samples: samples.subarray(0, Math.round((endSec + 0.5) * rateHz)),
    truth,
  };
}

/** As many as fit. */
function upTo(maxSec: number, utterances: readonly Utterance[]): Utterance[] {
  let sec = 0;
  return utterances.filter(({ samples }) => (sec += samples.length / rateHz) <= maxSec);
}

function addNoise(samples: Float32Array, level: number, random: () => number): void {
  // Of even distribution, whose standard deviation is a fraction of its width.
  for (let i = 0; i < samples.length; i++) samples[i]! += (random() - 0.5) * Math.sqrt(12) * level;
}

/** Mulberry32: 0 to 1 from a seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffle<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => ({ value, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ value }) => value);
}
