// What a channel spoke, made into a take: decoded, without the silence at its ends, so that pauses are a matter of the
// script alone, whoever spoke. For child processes.

import { openDecoder } from "../audio/codec/decode.ts";
import { joinSamples } from "../audio/codec/pcm.ts";
import { takeRateHz, writeTake } from "./take-file.ts";

/** A sentence is seconds; a provider that sends more than this sends something else. */
const longestSec = 600;

/**
 * Decodes what a channel spoke and keeps it under `wavPath`, on the disk when this resolves.
 * @returns its length, 0 for silence
 */
export async function keepTake(
  mediaPath: string,
  wavPath: string,
): Promise<{ durationSec: number }> {
  const samples = withoutSilentEnds(decoded(mediaPath));
  await writeTake(wavPath, samples);
  return { durationSec: samples.length / takeRateHz };
}

function decoded(mediaPath: string): Float32Array {
  const decoder = openDecoder(mediaPath, { sampleRateHz: takeRateHz, maxDurationSec: longestSec });
  try {
    const parts: Float32Array[] = [];
    for (let part = decoder.read(); part !== undefined; part = decoder.read()) parts.push(part);
    return joinSamples(parts);
  } finally {
    decoder.close();
  }
}

const windowSamples = takeRateHz / 100;
/** Below the loudest window by so much is silence, and so is what is below 80 dB under full scale whatever comes. */
const silentBelow = 10 ** (-45 / 20);
const silentRms = 1e-4;
/** Of what is silent, so much stays: the breath before a word, the end of a soft consonant. */
const keptBefore = takeRateHz * 0.02;
const keptAfter = takeRateHz * 0.07;

export function withoutSilentEnds(samples: Float32Array): Float32Array {
  const levels = Array.from({ length: Math.ceil(samples.length / windowSamples) }, (_, window) => {
    const part = samples.subarray(window * windowSamples, (window + 1) * windowSamples);
    return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
  });
  const silent = Math.max(
    silentRms,
    levels.reduce((loudest, level) => Math.max(loudest, level), 0) * silentBelow,
  );
  const first = levels.findIndex((level) => level > silent);
  if (first < 0) return new Float32Array(0);
  const last = levels.findLastIndex((level) => level > silent);
  return samples.slice(
    Math.max(0, first * windowSamples - keptBefore),
    Math.min(samples.length, (last + 1) * windowSamples + keptAfter),
  );
}
