// Reads and writes takes as mono WAV files at one sample rate. Does not use FFmpeg, so the app's own process may import
// it.

import { open, rm } from "node:fs/promises";
import { openForWriting, rename } from "../storage/disk.ts";
import { joinBytes, wavHeader } from "../audio/codec/framing.ts";
import { floatToPcm, pcmToFloat } from "../audio/codec/pcm.ts";

/** The sample rate of the built-in voices, used for all takes. */
export const takeSampleRateHz = 24_000;

/** Samples in −1..1. Writes the file atomically; it is on disk when this resolves. */
export async function writeTake(wavPath: string, samples: Float32Array): Promise<void> {
  const partPath = `${wavPath}.part`;
  try {
    const file = await openForWriting(partPath, "w", 0o600);
    try {
      await file.writeFile(
        joinBytes([wavHeader(takeSampleRateHz, samples.length), floatToPcm(samples)]),
      );
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partPath, wavPath);
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  }
}

/** Reads a file written by `writeTake`. */
export async function readTake(wavPath: string): Promise<Float32Array> {
  const file = await open(wavPath);
  try {
    return pcmToFloat((await file.readFile()).subarray(wavHeader(takeSampleRateHz, 0).length));
  } finally {
    await file.close();
  }
}
