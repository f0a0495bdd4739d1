// What a channel spoke, made into a take: decoded, without the silence at its ends, so that pauses are a matter of the
// script alone, whoever spoke. For child processes.

import { openDecoder } from "../audio/codec/decode.ts";
import { joinSamples } from "../audio/codec/pcm.ts";
import { takeSampleRateHz, writeTake } from "./take-file.ts";

/** A sentence is seconds; a provider that sends more than this sends something else. */
const maxTakeSec = 600;

/**
 * Decodes what a channel spoke and keeps it under `wavPath`, on the disk when this resolves.
 * @returns its length, 0 for silence
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
/** Below the loudest window by so much is silence, and so is what is below 80 dB under full scale whatever comes. */
const silenceRatio = 10 ** (-45 / 20);
const minSilenceRms = 1e-4;
/** Of what is silent, so much stays: the breath before a word, the end of a soft consonant. */
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
