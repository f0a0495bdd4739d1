// Waveform of a narration: each take has its own peaks file, and these are joined in the order of takes and pauses.

import { readFile } from "node:fs/promises";
import { createPeakExtractor, peaksPerSec } from "../audio/dsp/peaks.ts";
import { readTake, takeSampleRateHz } from "./take-file.ts";
import { writeFile } from "../storage/disk.ts";

/** A take and the silence after it. */
export type PeakPart = { wavPath: string; durationSec: number; pauseSec: number };

export const peaksPath = (wavPath: string): string => wavPath.replace(/\.wav$/, ".peaks");

/** The take must be on disk. */
export async function writePeaks(wavPath: string): Promise<Uint8Array> {
  const peaks = createPeakExtractor(takeSampleRateHz);
  const pairs = Buffer.concat([peaks.push(await readTake(wavPath)), peaks.finish()]);
  await writeFile(peaksPath(wavPath), pairs, { mode: 0o600 });
  return pairs;
}

const readBatchSize = 32;
const silence = 128;

/** Pairs of minimum and maximum per hundredth of a second, in the format of a file's peaks. */
export async function joinPeaks(parts: readonly PeakPart[]): Promise<Uint8Array<ArrayBuffer>> {
  const totalSec = parts.reduce(
    (sum, { durationSec, pauseSec }) => sum + durationSec + pauseSec,
    0,
  );
  const joined = new Uint8Array(2 * Math.ceil(totalSec * peaksPerSec)).fill(silence);
  let positionSec = 0;
  for (let first = 0; first < parts.length; first += readBatchSize) {
    const batch = parts.slice(first, first + readBatchSize);
    const batchPeaks = await Promise.all(
      batch.map(({ wavPath }) => readFile(peaksPath(wavPath)).catch(() => writePeaks(wavPath))),
    );
    for (const [index, { durationSec, pauseSec }] of batch.entries()) {
      // Positioned by time instead of appended: a rounding error of half a pair per sentence would add up to seconds.
      const offset = 2 * Math.round(positionSec * peaksPerSec);
      joined.set(
        (batchPeaks[index] ?? new Uint8Array()).subarray(0, Math.max(0, joined.length - offset)),
        offset,
      );
      positionSec += durationSec + pauseSec;
    }
  }
  return joined;
}
