// Which pieces of a file are given to a child in one task. See piece-hearing.ts for which model hears them.

import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";

/** Pieces decoded together by a model that hears them one by one; more do not get faster. */
export const maxBatchSegments = 4;
/** Runs of neighbours heard in one task. */
const maxBatchRuns = 4;

const lengthSec = ({ fromSec, toSec }: SpeechSegmentSpan): number => toSec - fromSec;
const fromWithSilenceSec = ({ fromSec, quietFromSec = fromSec }: SpeechSegmentSpan): number =>
  quietFromSec;
const toWithSilenceSec = ({ toSec, quietToSec = toSec }: SpeechSegmentSpan): number => quietToSec;
const startOfBatchSec = (group: readonly SpeechSegmentSpan[]): number =>
  Math.min(...group.map(({ fromSec }) => fromSec));

/** Spread over the pool first, in batches where there are more: pieces of like length, so that none waits for another. */
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

/** Neighbours up to a length; several of these in one task where there are enough for the whole pool. What lies within `singlePassMaxSec` is not parted. */
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
