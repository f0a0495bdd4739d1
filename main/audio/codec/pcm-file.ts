// Files of headerless 16-bit little-endian mono PCM, used to pass samples between processes.

import { open, readFile } from "node:fs/promises";
import { writeFile } from "../../storage/disk.ts";
import { floatToPcm, pcmToFloat } from "./pcm.ts";

const bytesPerSample = 2;

/** @param samples in −1..1 */
export async function writePcmFile(path: string, samples: Float32Array): Promise<void> {
  await writeFile(path, floatToPcm(samples));
}

export async function readPcmFile(path: string): Promise<Float32Array> {
  return pcmToFloat(await readFile(path));
}

/** Samples `from` to `to` (exclusive) after the header, if there is one; fewer if the file is shorter. */
export async function readPcmRange(
  path: string,
  from: number,
  to: number,
  headerBytes = 0,
): Promise<Float32Array> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(Math.max(0, to - from) * bytesPerSample);
    const { bytesRead } = await file.read(
      bytes,
      0,
      bytes.length,
      headerBytes + from * bytesPerSample,
    );
    return pcmToFloat(bytes.subarray(0, bytesRead - (bytesRead % bytesPerSample)));
  } finally {
    await file.close();
  }
}
