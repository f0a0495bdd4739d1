// Which pieces of a file are given to a child in one task. See piece-hearing.ts for which model hears them.

import type { PieceSpan } from "../audio/dsp/segments.ts";

/** Pieces decoded together by a model that hears them one by one; more do not get faster. */
export const maxPiecesTogether = 4;
/** Runs of neighbours heard in one task. */
const maxRunsTogether = 4;

const lengthSec = ({ fromSec, toSec }: PieceSpan): number => toSec - fromSec;
const quietlyFrom = ({ fromSec, quietFromSec = fromSec }: PieceSpan): number => quietFromSec;
const quietlyTo = ({ toSec, quietToSec = toSec }: PieceSpan): number => quietToSec;
const earliestSec = (group: readonly PieceSpan[]): number =>
  Math.min(...group.map(({ fromSec }) => fromSec));

/** Spread over the pool first, in batches where there are more: pieces of like length, so that none waits for another. */
export function alikeGroups(pieces: readonly PieceSpan[], poolSize: number): PieceSpan[][] {
  const size = Math.min(maxPiecesTogether, Math.max(1, Math.floor(pieces.length / poolSize)));
  const groups = chunks(
    pieces.toSorted((one, other) => lengthSec(one) - lengthSec(other)),
    size,
  );
  return groups.sort((one, other) => earliestSec(one) - earliestSec(other));
}

/** Neighbours up to a length; several of these in one task where there are enough for the whole pool. What lies within `wholeSec` is not parted. */
export function neighbourGroups(
  pieces: readonly PieceSpan[],
  togetherSec: number,
  wholeSec: number,
  poolSize: number,
): PieceSpan[][] {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (quietlyTo(last) - quietlyFrom(first) <= wholeSec) return [[...pieces]];
  const runs: PieceSpan[][] = [];
  let filledSec = Infinity;
  for (const piece of pieces) {
    if (filledSec + lengthSec(piece) > togetherSec) {
      runs.push([]);
      filledSec = 0;
    }
    runs.at(-1)?.push(piece);
    filledSec += lengthSec(piece);
  }
  const size = Math.min(maxRunsTogether, Math.max(1, Math.floor(runs.length / poolSize)));
  return chunks(runs, size).map((group) => group.flat());
}

function chunks<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, chunk) =>
    values.slice(chunk * size, (chunk + 1) * size),
  );
}
