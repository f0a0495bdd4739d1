// How a spoken sentence is handed over: at the common loudness, free of clicks, with the pause its last sign asks
// for. What `high` quality adds is here too: each sentence is measured and brought to the target by itself, what lies
// below 60 Hz is taken out, and the gaps between words are quietened.

import { amplify, filterInPlace, highPass, loudnessLufs } from './loudness.ts';
import { sampleRateHz } from './pulse-train.ts';

/** Every voice's loudness. Peaks of speech then stay below −1 dBFS but for a few. */
export const targetLufs = -19;
const peakCeiling = 10 ** (-1 / 20);

/** Seconds of silence after a sentence at speed 1, by its last sign. */
const pausesSec: Readonly<Record<string, number>> = {
  '.': 0.38, '!': 0.38, '?': 0.42, '…': 0.5, ':': 0.3, ';': 0.28, '—': 0.22, ',': 0.18,
};
const pauseWithoutSignSec = 0.12;
const paragraphPauseSec = 0.75;

/** `last` is the sentence's last sign or phoneme. */
export function pauseAfterSec(last: string, endsParagraph: boolean): number {
  return endsParagraph ? paragraphPauseSec : (pausesSec[last] ?? pauseWithoutSignSec);
}

/** Multiplies by the voice's own gain, in place. Sentences keep their differences. */
export function levelByVoice(samples: Float32Array, gainDb: number): void {
  amplify(samples, 10 ** (gainDb / 20), peakCeiling, sampleRateHz);
}

/** Very short sentences measure too low or too high: no further than this from the voice's own gain. */
const largestCorrectionDb = 6;

/** Cleans and brings one sentence to the target, in place. */
export function levelBySentence(samples: Float32Array, gainDb: number): void {
  filterInPlace(samples, highPass(60, sampleRateHz));
  const measured = loudnessLufs(samples, sampleRateHz);
  const wanted = Number.isFinite(measured) ? targetLufs - measured : gainDb;
  const gain = Math.min(Math.max(wanted, gainDb - largestCorrectionDb), gainDb + largestCorrectionDb);
  quietenGaps(samples, targetLufs - gain);
  amplify(samples, 10 ** (gain / 20), peakCeiling, sampleRateHz);
}

/** Gaps begin this far below the speech; below that, each dB becomes two, to no more than −20 dB. */
const gapBelowDb = 38;
const deepestCutDb = 20;

/** Downward expander, in place: opens at once (10 ms ahead), closes over 60 ms. */
function quietenGaps(samples: Float32Array, speechLufs: number): void {
  const size = sampleRateHz / 200;
  const count = Math.ceil(samples.length / size);
  const cutDb = new Float32Array(count + 1);
  for (let i = 0; i < count; i++) {
    const part = samples.subarray(i * size, (i + 1) * size);
    const power = part.reduce((sum, sample) => sum + sample * sample, 1e-12) / part.length;
    const below = speechLufs - gapBelowDb - 10 * Math.log10(power);
    cutDb[i] = Math.min(Math.max(below, 0), deepestCutDb);
  }
  cutDb[count] = cutDb[count - 1] ?? 0;
  for (let i = count - 1; i >= 0; i--) cutDb[i] = Math.min(cutDb[i]!, cutDb[i + 1]! + deepestCutDb / 2);
  for (let i = 1; i <= count; i++) cutDb[i] = Math.min(cutDb[i]!, cutDb[i - 1]! + deepestCutDb / 12);
  for (let n = 0; n < samples.length; n++) {
    const i = Math.floor(n / size);
    const a = cutDb[i]!;
    const cut = a + ((cutDb[i + 1]! - a) * (n - i * size)) / size;
    if (cut > 0) samples[n]! *= 10 ** (-cut / 20);
  }
}

/** Rounds off both ends, in place. */
export function fadeEnds(samples: Float32Array, inSec: number, outSec: number): void {
  const fade = (count: number, index: (i: number) => number): void => {
    const length = Math.min(count, samples.length);
    for (let i = 0; i < length; i++) samples[index(i)]! *= 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / length);
  };
  fade(Math.round(inSec * sampleRateHz), (i) => i);
  fade(Math.round(outSec * sampleRateHz), (i) => samples.length - 1 - i);
}
