// Converts synthesized audio into a take: decodes it and trims silence at both ends, so that pauses depend on the
// script only. For child processes.

import { openDecoder } from "../audio/codec/decode.ts";
import { joinSamples } from "../audio/codec/pcm.ts";
import { takeSampleRateHz, writeTake } from "./take-file.ts";

/** A sentence takes seconds: longer audio from a provider is an error. */
const maxTakeSec = 600;

/**
 * Decodes synthesized audio and saves it at `wavPath`; on disk when this resolves.
 * @returns its duration, 0 for silence
 */
export async function saveTake(
  mediaPath: string,
  wavPath: string,
): Promise<{ durationSec: number }> {
  const samples = trimSilence(decodeFile(mediaPath));
  await writeTake(wavPath, samples);
  return { durationSec: samples.length / takeSampleRateHz };
}

function decodeFile(mediaPath: string): Float32Array {
  const decoder = openDecoder(mediaPath, {
    sampleRateHz: takeSampleRateHz,
    maxDurationSec: maxTakeSec,
  });
  try {
    const parts: Float32Array[] = [];
    for (let part = decoder.read(); part !== undefined; part = decoder.read()) parts.push(part);
    return joinSamples(parts);
  } finally {
    decoder.close();
  }
}

const windowSamples = takeSampleRateHz / 100;
/** Silence: 45 dB below the loudest window, or 80 dB below full scale. */
const silenceRatio = 10 ** (-45 / 20);
const minSilenceRms = 1e-4;
/** Silence that is kept: the breath before a word, and the end of a soft consonant. */
const leadInSamples = takeSampleRateHz * 0.02;
const tailSamples = takeSampleRateHz * 0.07;

export function trimSilence(samples: Float32Array): Float32Array {
  const levels = Array.from({ length: Math.ceil(samples.length / windowSamples) }, (_, window) => {
    const part = samples.subarray(window * windowSamples, (window + 1) * windowSamples);
    return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
  });
  const silenceThreshold = Math.max(
    minSilenceRms,
    levels.reduce((loudest, level) => Math.max(loudest, level), 0) * silenceRatio,
  );
  const first = levels.findIndex((level) => level > silenceThreshold);
  if (first < 0) return new Float32Array(0);
  const last = levels.findLastIndex((level) => level > silenceThreshold);
  return samples.slice(
    Math.max(0, first * windowSamples - leadInSamples),
    Math.min(samples.length, (last + 1) * windowSamples + tailSamples),
  );
}
