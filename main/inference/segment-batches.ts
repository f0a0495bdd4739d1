// Groups the segments of a file into tasks for children. See segment-transcriber.ts for the choice of the model.

import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";

/** Batch size for a model that transcribes segments separately; larger batches are not faster. */
export const maxBatchSegments = 4;
/** Runs of neighbours in one task. */
const maxBatchRuns = 4;

const lengthSec = ({ fromSec, toSec }: SpeechSegmentSpan): number => toSec - fromSec;
const fromWithSilenceSec = ({ fromSec, quietFromSec = fromSec }: SpeechSegmentSpan): number =>
  quietFromSec;
const toWithSilenceSec = ({ toSec, quietToSec = toSec }: SpeechSegmentSpan): number => quietToSec;
const startOfBatchSec = (group: readonly SpeechSegmentSpan[]): number =>
  Math.min(...group.map(({ fromSec }) => fromSec));

/**
 * Spreads segments over the pool first, in batches if there are more: segments of similar length, so that none waits
 * for a longer one.
 */
export function groupByLength(
  speechSegments: readonly SpeechSegmentSpan[],
  poolSize: number,
): SpeechSegmentSpan[][] {
  const size = Math.min(
    maxBatchSegments,
    Math.max(1, Math.floor(speechSegments.length / poolSize)),
  );
  const groups = splitIntoGroups(
    speechSegments.toSorted((one, other) => lengthSec(one) - lengthSec(other)),
    size,
  );
  return groups.sort((one, other) => startOfBatchSec(one) - startOfBatchSec(other));
}

/**
 * Runs of neighbours up to a length; several runs per task if there are enough for the whole pool. Segments within
 * `singlePassMaxSec` are not separated.
 */
export function groupAdjacent(
  speechSegments: readonly SpeechSegmentSpan[],
  batchMaxSec: number,
  singlePassMaxSec: number,
  poolSize: number,
): SpeechSegmentSpan[][] {
  const [first, last] = [speechSegments[0], speechSegments.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (toWithSilenceSec(last) - fromWithSilenceSec(first) <= singlePassMaxSec)
    return [[...speechSegments]];
  const runs: SpeechSegmentSpan[][] = [];
  let runLengthSec = Infinity;
  for (const speechSegment of speechSegments) {
    if (runLengthSec + lengthSec(speechSegment) > batchMaxSec) {
      runs.push([]);
      runLengthSec = 0;
    }
    runs.at(-1)?.push(speechSegment);
    runLengthSec += lengthSec(speechSegment);
  }
  const size = Math.min(maxBatchRuns, Math.max(1, Math.floor(runs.length / poolSize)));
  return splitIntoGroups(runs, size).map((group) => group.flat());
}

function splitIntoGroups<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, chunk) =>
    values.slice(chunk * size, (chunk + 1) * size),
  );
}
