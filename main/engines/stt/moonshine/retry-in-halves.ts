// Segments whose text seems to lack words or to repeat itself are transcribed once more, in two halves: pauses within a
// segment make the model stop early.

import type { TranscriptSegment } from "../../../contract/speech.ts";
import { type SpeechSegment, sttSampleRateHz } from "../../engine.ts";
import { countWords, hasTooFewWords } from "../missing-words.ts";
import { compressionRatio, maxCompressionRatio } from "../scores.ts";

/** Segments shorter than this are not split again. */
const minSplitSec = 2.5;

export function needsRetry(
  { startSec, endSec, voicedSec }: SpeechSegment,
  { text, compressionRatio: ratio }: TranscriptSegment,
): boolean {
  if (endSec - startSec < minSplitSec) return false;
  return ratio > maxCompressionRatio || hasTooFewWords(countWords(text), voicedSec);
}

/** @returns the result of the halves, or the first one if that has as many words and does not repeat itself */
export async function retranscribeHalves(
  speechSegment: SpeechSegment,
  first: TranscriptSegment,
  transcribe: (half: SpeechSegment) => Promise<TranscriptSegment[]>,
): Promise<TranscriptSegment> {
  const halfResults: TranscriptSegment[] = [];
  for (const half of splitAtQuietestMoment(speechSegment))
    halfResults.push(...(await transcribe(half)));
  const combined = combineHalves(first, halfResults);
  const isRepeating = first.compressionRatio > maxCompressionRatio;
  return isRepeating || countWords(combined.text) > countWords(first.text) ? combined : first;
}

/** The result of the whole segment, with the text of its halves. */
function combineHalves(
  whole: TranscriptSegment,
  halves: readonly TranscriptSegment[],
): TranscriptSegment {
  const text = halves
    .map((half) => half.text)
    .filter(Boolean)
    .join(" ");
  const weights = halves.map((half) => half.tokens.length + 1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const combined: TranscriptSegment = {
    ...whole,
    text,
    tokens: halves.flatMap((half) => half.tokens),
    avgLogprob:
      halves.reduce((sum, half, index) => sum + half.avgLogprob * (weights[index] ?? 0), 0) / total,
    compressionRatio: compressionRatio(text),
  };
  if (whole.words !== undefined) combined.words = halves.flatMap((half) => half.words ?? []);
  return combined;
}

/** Cuts a segment at the quietest tenth of a second of its middle half. */
function splitAtQuietestMoment(speechSegment: SpeechSegment): SpeechSegment[] {
  const { samples } = speechSegment;
  const window = sttSampleRateHz / 10;
  let cut = samples.length >> 1;
  let quietest = Infinity;
  for (
    let from = samples.length >> 2;
    from + window < (samples.length * 3) >> 2;
    from += window / 4
  ) {
    let energy = 0;
    for (let at = from; at < from + window; at += 1) energy += (samples[at] as number) ** 2;
    if (energy < quietest) {
      quietest = energy;
      cut = from + window / 2;
    }
  }
  const cutSec = speechSegment.offsetSec + cut / sttSampleRateHz;
  const firstShare = cut / samples.length;
  return [
    {
      ...speechSegment,
      samples: samples.subarray(0, cut),
      endSec: cutSec,
      voicedSec: speechSegment.voicedSec * firstShare,
    },
    {
      ...speechSegment,
      samples: samples.subarray(cut),
      offsetSec: cutSec,
      startSec: cutSec,
      voicedSec: speechSegment.voicedSec * (1 - firstShare),
    },
  ];
}
