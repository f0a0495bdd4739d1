// The picture of a narration's sound: that of each take is kept beside it, the whole is put together of them as the
// takes and pauses follow each other.

import { readFile } from "node:fs/promises";
import { createPeaks, peaksPerSec } from "../audio/dsp/peaks.ts";
import { readTake, takeRateHz } from "./take-file.ts";
import { writeFile } from "../storage/disk.ts";

/** A take and the silence after it. */
export type PeakPart = { wavPath: string; durationSec: number; pauseSec: number };

export const peaksPath = (wavPath: string): string => wavPath.replace(/\.wav$/, ".peaks");

/** Of a take that is on the disk. */
export async function keepPeaks(wavPath: string): Promise<Uint8Array> {
  const peaks = createPeaks(takeRateHz);
  const pairs = Buffer.concat([peaks.push(await readTake(wavPath)), peaks.finish()]);
  await writeFile(peaksPath(wavPath), pairs, { mode: 0o600 });
  return pairs;
}

const readAtOnce = 32;
const silence = 128;

/** Pairs of least and greatest in a hundredth of a second, as those of a file. */
export async function joinedPeaks(parts: readonly PeakPart[]): Promise<Uint8Array<ArrayBuffer>> {
  const totalSec = parts.reduce(
    (sum, { durationSec, pauseSec }) => sum + durationSec + pauseSec,
    0,
  );
  const joined = new Uint8Array(2 * Math.ceil(totalSec * peaksPerSec)).fill(silence);
  let atSec = 0;
  for (let first = 0; first < parts.length; first += readAtOnce) {
    const some = parts.slice(first, first + readAtOnce);
    const pictures = await Promise.all(
      some.map(({ wavPath }) => readFile(peaksPath(wavPath)).catch(() => keepPeaks(wavPath))),
    );
    for (const [place, { durationSec, pauseSec }] of some.entries()) {
      // By time, not one behind the other: half a pair a sentence would be seconds in a book.
      const at = 2 * Math.round(atSec * peaksPerSec);
      joined.set(
        (pictures[place] ?? new Uint8Array()).subarray(0, Math.max(0, joined.length - at)),
        at,
      );
      atSec += durationSec + pauseSec;
    }
  }
  return joined;
}
