// Lists the ranges of a recording that are not transcribed yet: failed ranges, then everything after the last segment.
// Pure.

import type { TranscriptDocument } from "../../contract/transcript-document.ts";

export type PendingRange = {
  fromSec: number;
  /** Defaults to the end. */
  toSec?: number | undefined;
  /** The entry of the transcript's list that this range retries. */
  failed?: TranscriptDocument["failed"][number];
  /** The only track that is to be transcribed. */
  track?: number;
};

type Transcribed = Pick<TranscriptDocument, "options" | "segments" | "failed">;

/**
 * @param durationSec of the recording, if known
 * @returns ranges in processing order; empty if everything is done
 */
export function listPendingRanges(
  { options, segments, failed }: Transcribed,
  durationSec: number | undefined,
): PendingRange[] {
  if (options.tracks === undefined)
    return pendingOfTrack({ options, segments, failed }, durationSec);
  return options.tracks.flatMap((_, track) => {
    const isOfTrack = (part: { track?: number }): boolean => part.track === track;
    const ofTrack = {
      options,
      segments: segments.filter(isOfTrack),
      failed: failed.filter(isOfTrack),
    };
    return pendingOfTrack(ofTrack, durationSec).map((range) => ({ ...range, track }));
  });
}

function pendingOfTrack(
  { options, segments, failed }: Transcribed,
  durationSec: number | undefined,
): PendingRange[] {
  const { fromSec = 0, toSec } = options;
  const processedSec = Math.max(
    fromSec,
    ...failed.map(({ endSec }) => endSec),
    segments.reduce((latest, { endSec }) => Math.max(latest, endSec), 0),
  );
  const failedRanges = failed.map((range, index) => {
    // The app may have stopped during a retry: skip what was transcribed, or failed again, by then.
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

/** @returns total seconds of the ranges; with `position`, only the part before it, which is in one of the ranges */
export function pendingLengthSec(
  ranges: readonly PendingRange[],
  endSec: number,
  position?: { range: PendingRange | undefined; processedSec: number },
): number {
  const currentIndex =
    position?.range === undefined ? ranges.length : ranges.indexOf(position.range);
  return ranges.reduce(
    (sum, { fromSec, toSec = endSec }, index) =>
      sum +
      (index < currentIndex
        ? Math.max(0, toSec - fromSec)
        : index === currentIndex && position !== undefined
          ? position.processedSec - fromSec
          : 0),
    0,
  );
}
