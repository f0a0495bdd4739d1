// Which parts of a sound are still to be heard, as its transcript tells: what failed, then all behind the last segment.
// Pure.

import type { FailedStretch } from "../../contract/speech.ts";
import type { TranscriptDocument } from "../../contract/studio.ts";

export type OpenPart = {
  fromSec: number;
  /** Optional; default the end. */
  toSec?: number | undefined;
  /** What it stands for in the transcript's list. */
  failed?: FailedStretch;
};

/**
 * @param durationSec of the sound, where it is known
 * @returns in the order they are to be heard; none where nothing is left
 */
export function openParts(
  { options, segments, failed }: Pick<TranscriptDocument, "options" | "segments" | "failed">,
  durationSec: number | undefined,
): OpenPart[] {
  const { fromSec = 0, toSec } = options;
  const heardSec = Math.max(
    fromSec,
    ...failed.map(({ endSec }) => endSec),
    segments.reduce((latest, { endSec }) => Math.max(latest, endSec), 0),
  );
  const again = failed.map((stretch, place) => {
    // The app may have ended in the midst of it: what was heard of it by then is there, and what failed again is in the list.
    const within = [...segments, ...failed.slice(place + 1)].filter(
      ({ startSec }) => startSec >= stretch.startSec && startSec < stretch.endSec,
    );
    return {
      fromSec: within.reduce((latest, { endSec }) => Math.max(latest, endSec), stretch.startSec),
      toSec: stretch.endSec,
      failed: stretch,
    };
  });
  const isOver = heardSec >= Math.min(toSec ?? Infinity, durationSec ?? Infinity);
  return [...again, ...(isOver ? [] : [{ fromSec: heardSec, toSec }])];
}

/** @returns seconds in all of them, or in those parts of them that lie before `heardSec` in the one being heard */
export function lengthSec(parts: readonly OpenPart[], endSec: number, heardSec?: number): number {
  const at =
    heardSec === undefined
      ? parts.length
      : parts.findIndex(({ fromSec, toSec = endSec }) => heardSec >= fromSec && heardSec <= toSec);
  return parts.reduce(
    (sum, { fromSec, toSec = endSec }, place) =>
      sum +
      (place < at
        ? Math.max(0, toSec - fromSec)
        : place === at && heardSec !== undefined
          ? heardSec - fromSec
          : 0),
    0,
  );
}
