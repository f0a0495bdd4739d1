// Post-processing of a synthesized sentence: common loudness, no clicks, a pause that fits its punctuation. `high`
// quality also measures each sentence and brings it to the target loudness, removes what is below 60 Hz, and attenuates
// the gaps between words.

import { type SynthesisOptions, ttsSampleRateHz as sampleRateHz } from "../engine.ts";
import { amplify, filterInPlace, highPass, loudnessLufs } from "./loudness.ts";

/** Loudness of every voice. Almost all speech peaks then stay below −1 dBFS. */
const targetLufs = -20;
const peakCeiling = 10 ** (-1 / 20);

/** Seconds of silence after a sentence at speed 1, by its last punctuation mark. */
const pausesSec: Readonly<Record<string, number>> = {
  ".": 0.38,
  "!": 0.38,
  "?": 0.42,
  "…": 0.5,
  ":": 0.3,
  ";": 0.28,
  "—": 0.22,
  ",": 0.18,
};
const defaultPauseSec = 0.12;
const paragraphPauseSec = 0.75;

/** `lastSymbol` is the sentence's last punctuation mark or phoneme. */
export function pauseAfterSec(lastSymbol: string, endsParagraph: boolean): number {
  return endsParagraph ? paragraphPauseSec : (pausesSec[lastSymbol] ?? defaultPauseSec);
}

/**
 * Seconds at speed 1; shorter for faster speech. The model starts and ends in near silence, so this only prevents
 * clicks.
 */
const fadeInSec = 0.01;
const fadeOutSec = 0.03;

/**
 * A voice that was measured has a gain of its own. Measurements of very short sentences are inaccurate, so the gain of
 * a sentence stays close to it.
 */
export type VoiceGain = { readonly db: number; readonly maxCorrectionDb: number };
export const measuredGain = (db: number): VoiceGain => ({ db, maxCorrectionDb: 6 });
/** Models of others come at any loudness. */
export const unknownGain: VoiceGain = { db: 0, maxCorrectionDb: 24 };

/**
 * Rendered speech (modified in place) → the sentence at its target loudness, followed by `pauseSec / speed` of silence.
 */
export function finishSpeech(
  speech: Float32Array,
  gain: VoiceGain,
  pauseSec: number,
  { speed, quality }: Pick<SynthesisOptions, "speed" | "quality">,
): Float32Array {
  const isHighQuality = quality === "high";
  if (isHighQuality) filterInPlace(speech, highPass(60, sampleRateHz));
  fadeEnds(speech, fadeInSec / Math.max(1, speed), fadeOutSec / Math.max(1, speed));
  const samples = new Float32Array(speech.length + Math.round((pauseSec / speed) * sampleRateHz));
  samples.set(speech);
  const appliedGainDb = isHighQuality ? sentenceGainDb(samples, gain) : gain.db;
  if (isHighQuality) attenuateGaps(samples, targetLufs - appliedGainDb);
  amplify(samples, 10 ** (appliedGainDb / 20), peakCeiling, sampleRateHz);
  return samples;
}

function sentenceGainDb(samples: Float32Array, { db, maxCorrectionDb }: VoiceGain): number {
  const measuredLufs = loudnessLufs(samples, sampleRateHz);
  if (!Number.isFinite(measuredLufs)) return db;
  return Math.min(Math.max(targetLufs - measuredLufs, db - maxCorrectionDb), db + maxCorrectionDb);
}

/** Gaps start this far below the speech level; below that, each dB becomes two, by at most 20 dB. */
const gapThresholdDb = 38;
const maxAttenuationDb = 20;

/** Downward expander, in place: opens at once (10 ms ahead), closes over 60 ms. */
function attenuateGaps(samples: Float32Array, speechLufs: number): void {
  const blockSamples = sampleRateHz / 200;
  const count = Math.ceil(samples.length / blockSamples);
  const attenuationDb = new Float32Array(count + 1);
  for (let i = 0; i < count; i++) {
    let energy = 1e-9;
    for (const sample of samples.subarray(i * blockSamples, (i + 1) * blockSamples))
      energy += sample * sample;
    const belowThresholdDb = speechLufs - gapThresholdDb - 10 * Math.log10(energy / blockSamples);
    attenuationDb[i] = Math.min(Math.max(belowThresholdDb, 0), maxAttenuationDb);
  }
  attenuationDb[count] = attenuationDb[count - 1] ?? 0;
  for (let i = count - 1; i >= 0; i--)
    attenuationDb[i] = Math.min(attenuationDb[i]!, attenuationDb[i + 1]! + maxAttenuationDb / 2);
  for (let i = 1; i <= count; i++)
    attenuationDb[i] = Math.min(attenuationDb[i]!, attenuationDb[i - 1]! + maxAttenuationDb / 12);
  for (let n = 0; n < samples.length; n++) {
    const i = Math.floor(n / blockSamples);
    const a = attenuationDb[i]!;
    const frameAttenuationDb =
      a + ((attenuationDb[i + 1]! - a) * (n - i * blockSamples)) / blockSamples;
    if (frameAttenuationDb > 0) samples[n]! *= 10 ** (-frameAttenuationDb / 20);
  }
}

/** Fades both ends, in place. */
function fadeEnds(samples: Float32Array, inSec: number, outSec: number): void {
  const fade = (count: number, index: (i: number) => number): void => {
    const length = Math.min(count, samples.length);
    for (let i = 0; i < length; i++)
      samples[index(i)]! *= 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / length);
  };
  fade(Math.round(inSec * sampleRateHz), (i) => i);
  fade(Math.round(outSec * sampleRateHz), (i) => samples.length - 1 - i);
}
