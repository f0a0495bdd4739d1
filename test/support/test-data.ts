// Test data: speech by our own voices, so that no recording is needed, files of it, and folders with names as awkward
// as users' folders.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openEncoder } from "../../main/audio/codec/encode.ts";
import { sniffContainer } from "../../main/audio/codec/formats.ts";
import { joinSamples } from "../../main/audio/codec/pcm.ts";
import type { AudioFormat } from "../../main/contract/speech.ts";
import { loadTextToSpeech } from "../../main/engines/engine-list.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { splitSentences } from "../../main/text/sentences.ts";
import { cachedSpeech } from "./speech-cache.ts";
import { readSamples } from "./recordings.ts";

/** Sample rate of our own voices. */
export const voiceSampleRateHz = 24_000;

/** A PNG of 4 × 4 pixels. */
export const smallPicture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR42mM45MgDRwzEcQDEAxDxeTy8FAAAAABJRU5ErkJggg==",
  "base64",
);

/** A folder that several tests of a file share. */
export async function openFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "Hearsay é ש 日本 "));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A folder for the current test, removed after it. */
export async function openTestFolder(): Promise<string> {
  const { path, remove } = await openFolder();
  onTestFinished(remove);
  return path;
}

/** Speech of any length as samples at 24 kHz. */
export const synthesizeSamples = (text: string, voice = "nova"): Promise<Float32Array> =>
  cachedSpeech(voice, text, () => synthesize(text, voice));

async function synthesize(text: string, voice: string): Promise<Float32Array> {
  const engine = await loadTextToSpeech(shippedModel("hibari"));
  try {
    const chunks: Float32Array[] = [];
    for (const sentence of splitSentences(text)) {
      const options = {
        voice,
        speed: 1,
        quality: "standard" as const,
        paragraphEnd: sentence.paragraphEnd,
      };
      chunks.push(await engine.synthesize(sentence.text, options, new AbortController().signal));
    }
    return joinSamples(chunks);
  } finally {
    await engine.close();
  }
}

/** Resamples our own speech for engines. */
export async function resampleTo16kHz(samples: Float32Array): Promise<Float32Array> {
  const { path, remove } = await openFolder();
  try {
    return readSamples(await writeAudioFile(join(path, "speech.wav"), samples), 16_000);
  } finally {
    await remove();
  }
}

function encodeFile(samples: Float32Array, format: AudioFormat): Uint8Array {
  const encoder = openEncoder({
    format,
    quality: "standard",
    sampleRateHz: voiceSampleRateHz,
    totalSamples: samples.length,
  });
  try {
    return Buffer.concat([encoder.encode(samples), encoder.finish()]);
  } finally {
    encoder.close();
  }
}

/** Writes samples (24 kHz) to a file, in the format of its extension. */
export async function writeAudioFile(path: string, samples: Float32Array): Promise<string> {
  await writeFile(path, encodeFile(samples, path.slice(path.lastIndexOf(".") + 1) as AudioFormat));
  return path;
}

/** Detects which of our formats the bytes have. PCM has no signature, so it is the default. */
export function detectFormat(bytes: Uint8Array): string {
  const isAdts = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf6) === 0xf0;
  return sniffContainer(bytes) ?? (isAdts ? "aac" : "pcm");
}

/** Duration of a media file's audio. */
export const audioDurationSec = (path: string): number =>
  readSamples(path, voiceSampleRateHz).length / voiceSampleRateHz;

/** Words in lower case only, to compare two transcriptions of one text. */
export const normalizeWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9' ]+/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
