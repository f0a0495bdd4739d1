// The voice of one speaker of a transcript, from what they say there.

import { AppError } from "../../contract/errors.ts";
import type { FindSpeakers } from "../../contract/speakers.ts";
import type { DocumentSegment } from "../../contract/transcript-document.ts";
import type { Pool } from "../../engines/pool/pool.ts";

export type SpeakerVoiceDeps = {
  pool: Pool;
  tempDir: () => string;
  findSpeakers: FindSpeakers;
};

export type SpeakerVoice = { readonly print: Float32Array; readonly speechSec: number };

/** More speech hardly improves a print, and takes 50 ms a second to analyse. */
const enoughSec = 60;
const minSec = 3;
/** Of a long segment: several segments represent a voice better than one. */
const maxPartSec = 20;

/**
 * @param segments of the speaker
 * @param name for the error
 * @throws AppError if they say too little, or their audio cannot be decoded
 */
export async function findSpeakerVoice(
  { pool, tempDir, findSpeakers }: SpeakerVoiceDeps,
  mediaPath: string,
  segments: readonly DocumentSegment[],
  name: string,
  signal: AbortSignal,
): Promise<SpeakerVoice> {
  let sum = new Float32Array();
  let speechSec = 0;
  for (const { startSec, endSec } of segments.toSorted(
    (one, other) => lengthOf(other) - lengthOf(one),
  )) {
    if (speechSec >= enoughSec || (sum.length > 0 && endSec - startSec < 1)) break;
    const split = {
      mediaPath,
      fromSec: startSec,
      toSec: Math.min(endSec, startSec + maxPartSec),
      maxSec: 2 * maxPartSec,
    };
    for await (const { path } of pool.job(signal).splitAudio(tempDir(), split)) {
      const { turns, prints } = await findSpeakers({ mediaPath: path }, { max: 1 }, signal);
      const [print = new Float32Array()] = prints;
      const length = Math.hypot(...print);
      // Zero, or no number: the print of silence.
      if (!(length > 0)) continue;
      const partSec = turns.reduce((sec, { fromSec, toSec }) => sec + toSec - fromSec, 0);
      speechSec += partSec;
      sum = print.map((value, i) => (sum[i] ?? 0) + (value * partSec) / length);
    }
  }
  if (speechSec < minSec)
    throw new AppError(
      "person.tooLittle",
      { speaker: name, seconds: minSec },
      { param: "speaker" },
    );
  const length = Math.hypot(...sum);
  return { print: sum.map((value) => value / length), speechSec };
}

const lengthOf = ({ startSec, endSec }: DocumentSegment): number => endSec - startSec;
