// A recording on the disk: a WAV file that can be read at any moment, whatever becomes of whoever writes it.

import type { FileHandle } from "node:fs/promises";
import { wavHeader, wavSizes } from "../../audio/codec/framing.ts";
import { openForWriting } from "../../storage/disk.ts";

export const sampleRateHz = 16_000;
/** Where the samples begin. */
export const headerBytes = wavHeader(sampleRateHz, undefined).length;
const bytesPerSample = 2;

export type RecordingFile = {
  readonly path: string;
  sampleCount(): number;
  /**
   * Adds 16-bit little-endian samples, of which the first has the place `firstSample` in the whole. What is there already is
   * passed over; what would leave a gap is not taken. They are on the disk when this resolves.
   * @returns how many samples there are now: where to go on from
   */
  append(firstSample: number, bytes: Uint8Array): Promise<number>;
  /** Writes the length into the header. Nothing may be appended after it, also where it fails: then the file is opened anew to be ended. */
  end(): Promise<void>;
};

/** Makes the file, or goes on with the one that is there. */
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
  /** One after the other: two requests may come at once. */
  let lastWrite: Promise<unknown> = Promise.resolve();

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
    append(firstSample, bytes) {
      const written = lastWrite.then(() => write(firstSample, bytes));
      lastWrite = written.catch(() => {});
      return written;
    },
    async end() {
      await lastWrite;
      const length = headerBytes + sampleCount * bytesPerSample;
      try {
        await file.truncate(length);
        for (const { at: position, bytes } of wavSizes(length))
          await writeAll(file, bytes, position);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
  };
}

/** @returns the size of what is there, its header put down where it was not */
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
