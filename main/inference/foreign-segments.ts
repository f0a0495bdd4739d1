// Finds the segments of an English file that are in another language, by the English model's confidence.

import type { InstalledModel } from "../contract/models.ts";
import { meanLogprob } from "./mean-logprob.ts";
import {
  orNothing,
  type RecognizeSegments,
  type SegmentBatch,
  type SegmentResult,
} from "./segment-recognizer.ts";

/** A segment with lower confidence than this, and at least this much voice, is checked for another language. */
const maxForeignLogprob = -0.35;
const minForeignSpeechSec = 2;

/**
 * Retranscribes segments with low confidence; keeps the new result if it is certainly not English.
 * @param results of the English model, one per segment
 */
export async function replaceForeignSegments(
  results: SegmentResult[],
  { pcmPath, speechSegments }: SegmentBatch,
  multilingual: InstalledModel,
  recognize: RecognizeSegments,
): Promise<SegmentResult[]> {
  const lowConfidence = speechSegments.filter(
    (speechSegment, index) =>
      speechSegment.voicedSec >= minForeignSpeechSec &&
      meanLogprob(results[index]?.segments ?? []) < maxForeignLogprob,
  );
  if (lowConfidence.length === 0) return results;
  const retranscribed = await orNothing(
    recognize(multilingual, { likelyLanguage: "en" }, { pcmPath, speechSegments: lowConfidence }),
  );
  const alternatives = new Map(
    lowConfidence.map((speechSegment, index) => [speechSegment, retranscribed[index]]),
  );
  return speechSegments.flatMap((speechSegment, index) => {
    const alternative = alternatives.get(speechSegment);
    return alternative?.segments.some(({ language }) => language !== "en") === true
      ? alternative
      : (results[index] ?? []);
  });
}
