// Finds the turns of a long recording that touch a range, without looking at all of them. Pure.

import type { SpeakerTurn } from "../contract/speakers.ts";
import { firstIndexWhere } from "../contract/first-index-where.ts";

export type TurnSearch = {
  /** In order of time. */
  inside(startSec: number, endSec: number): SpeakerTurn[];
  /** Also the last one before and the first one after it. */
  near(startSec: number, endSec: number): SpeakerTurn[];
};

/** @param turns in order of time */
export function createTurnSearch(turns: readonly SpeakerTurn[]): TurnSearch {
  const starts = turns.map(({ fromSec }) => fromSec);
  // Turns overlap: until when the turns up to each one last.
  let latestSec = -Infinity;
  const ends = turns.map(({ toSec }) => (latestSec = Math.max(latestSec, toSec)));
  const inside = (startSec: number, endSec: number): SpeakerTurn[] =>
    turns
      .slice(
        firstIndexWhere(ends, (sec) => sec > startSec),
        firstIndexWhere(starts, (sec) => sec >= endSec),
      )
      .filter(({ toSec }) => toSec > startSec);
  return {
    inside,
    near(startSec, endSec) {
      const next = firstIndexWhere(starts, (sec) => sec >= endSec);
      let before = next - 1;
      while ((turns[before]?.toSec ?? startSec) > startSec) before -= 1;
      return [turns[before], ...inside(startSec, endSec), turns[next]].filter(
        (turn) => turn !== undefined,
      );
    },
  };
}
