// Leaves out speakers who say nothing: music and noise can sound like somebody, but nothing of it is transcribed. Pure.

import type { Speakers } from "../contract/speakers.ts";
import { createTurnSearch } from "./turn-search.ts";

/**
 * @param spoken what was transcribed; where nobody seems to talk, those before and after may have said it
 * @returns those with at least one turn in it, numbered as they appear
 */
export function keepTranscribedSpeakers(
  { turns, prints }: Speakers,
  spoken: readonly { startSec: number; endSec: number }[],
): Speakers {
  const search = createTurnSearch(turns);
  const transcribed = new Set(
    spoken
      .flatMap(({ startSec, endSec }) => {
        const inside = search.inside(startSec, endSec);
        return inside.length > 0 ? inside : search.near(startSec, endSec);
      })
      .map(({ speaker }) => speaker),
  );
  const kept = turns.filter(({ speaker }) => transcribed.has(speaker));
  const speakers = [...new Set(kept.map(({ speaker }) => speaker))];
  return {
    turns: kept.map((turn) => ({ ...turn, speaker: speakers.indexOf(turn.speaker) })),
    prints: speakers.map((speaker) => prints[speaker] ?? new Float32Array()),
  };
}
