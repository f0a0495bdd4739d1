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
  samples(): number;
  /**
   * Adds 16-bit little-endian samples, of which the first has the place `from` in the whole. What is there already is
   * passed over; what would leave a gap is not taken. They are on the disk when this resolves.
   * @returns how many samples there are now: where to go on from
   */
  append(from: number, bytes: Uint8Array): Promise<number>;
  /** Writes the length into the header. Nothing may be appended after it, also where it fails: then the file is opened anew to be ended. */
  end(): Promise<void>;
};

/** Makes the file, or goes on with the one that is there. */
export async function openRecordingFile(path: string): Promise<RecordingFile> {
  const file = await openForWriting(path, "a").then(async (made) => {
    await made.close();
    return openForWriting(path, "r+");
  });
  const size = await begun(file).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  let samples = Math.max(0, Math.floor((size - headerBytes) / bytesPerSample));
  /** One after the other: two requests may come at once. */
  let latest: Promise<unknown> = Promise.resolve();

  async function write(from: number, bytes: Uint8Array): Promise<number> {
    const whole = Math.floor(bytes.length / bytesPerSample);
    if (from > samples || from + whole <= samples) return samples;
    const fresh = bytes.subarray((samples - from) * bytesPerSample, whole * bytesPerSample);
    await writeAll(file, fresh, headerBytes + samples * bytesPerSample);
    await file.datasync();
    samples = from + whole;
    return samples;
  }

  return {
    path,
    samples: () => samples,
    append(from, bytes) {
      const written = latest.then(() => write(from, bytes));
      latest = written.catch(() => {});
      return written;
    },
    async end() {
      await latest;
      const length = headerBytes + samples * bytesPerSample;
      try {
        await file.truncate(length);
        for (const { at, bytes } of wavSizes(length)) await writeAll(file, bytes, at);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
  };
}

/** @returns the size of what is there, its header put down where it was not */
async function begun(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  if (size < headerBytes) await writeAll(file, wavHeader(sampleRateHz, undefined), 0);
  return size;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await file.write(bytes, written, bytes.length - written, at + written))
      .bytesWritten;
}
