// Groups the segments of a file into tasks for children. See segment-transcriber.ts for the choice of the model.

import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";

/** Batch size for a model that transcribes segments separately; larger batches are not faster. */
export const maxBatchSegments = 4;
/** Maximum number of neighbour runs in one task. */
const maxBatchRuns = 8;

const lengthSec = ({ fromSec, toSec }: SpeechSegmentSpan): number => toSec - fromSec;
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
  if (isSinglePass(speechSegments, singlePassMaxSec)) return [[...speechSegments]];
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
  const rounds = Math.ceil(runs.length / (poolSize * maxBatchRuns));
  return splitEvenly(runs, Math.min(runs.length, rounds * poolSize));
}

/** Whether the segments are a whole file that fits in `singlePassMaxSec`, with the silence around them. */
export function isSinglePass(
  speechSegments: readonly SpeechSegmentSpan[],
  singlePassMaxSec: number,
): boolean {
  const [first, last] = [speechSegments[0], speechSegments.at(-1)];
  return (
    first?.quietFromSec !== undefined &&
    last !== undefined &&
    toWithSilenceSec(last) - first.quietFromSec <= singlePassMaxSec
  );
}

/** At most this many groups of consecutive runs, of about the same length. */
function splitEvenly(
  runs: readonly (readonly SpeechSegmentSpan[])[],
  count: number,
): SpeechSegmentSpan[][] {
  const runLengthsSec = runs.map((run) => run.reduce((sum, one) => sum + lengthSec(one), 0));
  const totalSec = runLengthsSec.reduce((sum, sec) => sum + sec, 0);
  let fromSec = 0;
  const groups = Map.groupBy(runs, (_, index) => {
    const runSec = runLengthsSec[index] ?? 0;
    const middleSec = fromSec + runSec / 2;
    fromSec += runSec;
    return Math.floor((count * middleSec) / totalSec);
  });
  return Array.from(groups.values(), (group) => group.flat());
}

function splitIntoGroups<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, chunk) =>
    values.slice(chunk * size, (chunk + 1) * size),
  );
}
