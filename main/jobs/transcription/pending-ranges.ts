// Which parts of a sound are still to be heard, as its transcript tells: what failed, then all behind the last segment.
// Pure.

import type { FailedRange } from "../../contract/speech.ts";
import type { TranscriptDocument } from "../../contract/studio.ts";

export type PendingRange = {
  fromSec: number;
  /** Optional; default the end. */
  toSec?: number | undefined;
  /** What it stands for in the transcript's list. */
  failed?: FailedRange;
};

/**
 * @param durationSec of the sound, where it is known
 * @returns in the order they are to be heard; none where nothing is left
 */
export function listPendingRanges(
  { options, segments, failed }: Pick<TranscriptDocument, "options" | "segments" | "failed">,
  durationSec: number | undefined,
): PendingRange[] {
  const { fromSec = 0, toSec } = options;
  const processedSec = Math.max(
    fromSec,
    ...failed.map(({ endSec }) => endSec),
    segments.reduce((latest, { endSec }) => Math.max(latest, endSec), 0),
  );
  const failedRanges = failed.map((range, index) => {
    // The app may have ended in the midst of it: what was heard of it by then is there, and what failed again is in the list.
    const laterInRange = [...segments, ...failed.slice(index + 1)].filter(
      ({ startSec }) => startSec >= range.startSec && startSec < range.endSec,
    );
    return {
      fromSec: laterInRange.reduce(
        (latest, { endSec }) => Math.max(latest, endSec),
        range.startSec,
      ),
      toSec: range.endSec,
      failed: range,
    };
  });
  const isComplete = processedSec >= Math.min(toSec ?? Infinity, durationSec ?? Infinity);
  return [...failedRanges, ...(isComplete ? [] : [{ fromSec: processedSec, toSec }])];
}

/** @returns seconds in all of them, or in those parts of them that lie before `processedSec` in the one being heard */
export function pendingLengthSec(
  ranges: readonly PendingRange[],
  endSec: number,
  processedSec?: number,
): number {
  const currentIndex =
    processedSec === undefined
      ? ranges.length
      : ranges.findIndex(
          ({ fromSec, toSec = endSec }) => processedSec >= fromSec && processedSec <= toSec,
        );
  return ranges.reduce(
    (sum, { fromSec, toSec = endSec }, index) =>
      sum +
      (index < currentIndex
        ? Math.max(0, toSec - fromSec)
        : index === currentIndex && processedSec !== undefined
          ? processedSec - fromSec
          : 0),
    0,
  );
}
