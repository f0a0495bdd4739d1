// A recording on disk: a WAV file that is readable at any moment, even if the writing process crashes.

import type { FileHandle } from "node:fs/promises";
import { wavChannels, wavHeader, wavSizes } from "../../audio/codec/framing.ts";
import { openForWriting } from "../../storage/disk.ts";
import { createTurns } from "../../processes/run-in-turns.ts";

export const sampleRateHz = 16_000;
/** Offset of the first sample. */
export const headerBytes = wavHeader(sampleRateHz, undefined).length;
const bytesPerSample = 2;

export type RecordingFile = {
  readonly path: string;
  readonly channels: number;
  /** Of each channel, as everywhere here. */
  sampleCount(): number;
  /**
   * Appends 16-bit little-endian samples, those of several channels interleaved; `firstSample` is the index of the
   * first one in the recording. Samples already stored are skipped, and a chunk that would leave a gap is ignored.
   * Resolves when the samples are on disk.
   * @returns the number of samples stored, which is where to continue
   */
  append(firstSample: number, bytes: Uint8Array): Promise<number>;
  /**
   * Writes the length into the header and closes the file, even if that fails: then reopen the file to end it again.
   */
  end(): Promise<void>;
};

/** Creates the file or opens the existing one. @param newChannels number of channels of a new file */
export async function openRecordingFile(path: string, newChannels = 1): Promise<RecordingFile> {
  const file = await openForWriting(path, "a").then(async (created) => {
    await created.close();
    return openForWriting(path, "r+");
  });
  const { size, channels } = await ensureHeader(file, newChannels).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  const frameBytes = channels * bytesPerSample;
  let sampleCount = Math.max(0, Math.floor((size - headerBytes) / frameBytes));
  /** Appends run one after the other: requests may arrive concurrently. */
  const inTurn = createTurns();

  async function write(firstSample: number, bytes: Uint8Array): Promise<number> {
    const incomingSamples = Math.floor(bytes.length / frameBytes);
    if (firstSample > sampleCount || firstSample + incomingSamples <= sampleCount)
      return sampleCount;
    const newBytes = bytes.subarray(
      (sampleCount - firstSample) * frameBytes,
      incomingSamples * frameBytes,
    );
    await writeAll(file, newBytes, headerBytes + sampleCount * frameBytes);
    await file.datasync();
    sampleCount = firstSample + incomingSamples;
    return sampleCount;
  }

  return {
    path,
    channels,
    sampleCount: () => sampleCount,
    append: (firstSample, bytes) => inTurn(() => write(firstSample, bytes)),
    end: () =>
      inTurn(async () => {
        const length = headerBytes + sampleCount * frameBytes;
        try {
          await file.truncate(length);
          for (const { at: position, bytes } of wavSizes(length))
            await writeAll(file, bytes, position);
          await file.datasync();
        } finally {
          await file.close();
        }
      }),
  };
}

/** Writes the header if it is missing. @returns the size of the file before that, and its number of channels */
async function ensureHeader(
  file: FileHandle,
  newChannels: number,
): Promise<{ size: number; channels: number }> {
  const { size } = await file.stat();
  if (size < headerBytes) {
    await writeAll(file, wavHeader(sampleRateHz, undefined, newChannels), 0);
    return { size, channels: newChannels };
  }
  const { buffer } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
  return { size, channels: wavChannels(buffer) };
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await file.write(bytes, written, bytes.length - written, position + written))
      .bytesWritten;
}
