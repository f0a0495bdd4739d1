// A recording on disk: a WAV file that is readable at any moment, even if the writing process crashes.

import type { FileHandle } from "node:fs/promises";
import { wavHeader, wavSizes } from "../../audio/codec/framing.ts";
import { openForWriting } from "../../storage/disk.ts";
import { createTurns } from "../../processes/run-in-turns.ts";

export const sampleRateHz = 16_000;
/** Offset of the first sample. */
export const headerBytes = wavHeader(sampleRateHz, undefined).length;
const bytesPerSample = 2;

export type RecordingFile = {
  readonly path: string;
  sampleCount(): number;
  /**
   * Appends 16-bit little-endian samples; `firstSample` is the index of the first one in the recording. Samples already
   * stored are skipped, and a chunk that would leave a gap is ignored. Resolves when the samples are on disk.
   * @returns the number of samples stored, which is where to continue
   */
  append(firstSample: number, bytes: Uint8Array): Promise<number>;
  /**
   * Writes the length into the header and closes the file, even if that fails: then reopen the file to end it again.
   */
  end(): Promise<void>;
};

/** Creates the file or opens the existing one. */
export async function openRecordingFile(path: string): Promise<RecordingFile> {
  const file = await openForWriting(path, "a").then(async (created) => {
    await created.close();
    return openForWriting(path, "r+");
  });
  const size = await ensureHeader(file).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  let sampleCount = Math.max(0, Math.floor((size - headerBytes) / bytesPerSample));
  /** Appends run one after the other: requests may arrive concurrently. */
  const inTurn = createTurns();

  async function write(firstSample: number, bytes: Uint8Array): Promise<number> {
    const incomingSamples = Math.floor(bytes.length / bytesPerSample);
    if (firstSample > sampleCount || firstSample + incomingSamples <= sampleCount)
      return sampleCount;
    const newBytes = bytes.subarray(
      (sampleCount - firstSample) * bytesPerSample,
      incomingSamples * bytesPerSample,
    );
    await writeAll(file, newBytes, headerBytes + sampleCount * bytesPerSample);
    await file.datasync();
    sampleCount = firstSample + incomingSamples;
    return sampleCount;
  }

  return {
    path,
    sampleCount: () => sampleCount,
    append: (firstSample, bytes) => inTurn(() => write(firstSample, bytes)),
    end: () =>
      inTurn(async () => {
        const length = headerBytes + sampleCount * bytesPerSample;
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

/** Writes the header if it is missing. @returns the size of the file before that */
async function ensureHeader(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  if (size < headerBytes) await writeAll(file, wavHeader(sampleRateHz, undefined), 0);
  return size;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await file.write(bytes, written, bytes.length - written, position + written))
      .bytesWritten;
}
