// Converts positions in a narration (a sentence and an offset in it) to seconds from its start, and back.

import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import { computeTimeline, sentenceIndexAt, type Timeline } from "./timeline.ts";

export type PlaybackPosition = {
  readonly id: string | undefined;
  /** The index that the sentence had. */
  readonly index: number;
  readonly offsetSec: number;
};
export type SentencePositions = ReturnType<typeof createSentencePositions>;

/** `speed` is the narration's, for estimated durations. */
export function createSentencePositions({
  sentences,
  speed,
}: {
  sentences(): readonly NarrationSentence[];
  speed(): number;
}) {
  let cachedTimeline: { sentences: readonly NarrationSentence[]; timeline: Timeline } | undefined;

  function timeline(): Timeline {
    const current = sentences();
    if (cachedTimeline?.sentences !== current)
      cachedTimeline = { sentences: current, timeline: computeTimeline(current, speed()) };
    return cachedTimeline.timeline;
  }

  /** Current index of a sentence; if it was removed, the index it had. */
  function indexOf({ id, index }: Pick<PlaybackPosition, "id" | "index">): number {
    const current = sentences();
    if (id === undefined || current[index]?.id === id) return Math.min(index, current.length);
    const foundIndex = current.findIndex((sentence) => sentence.id === id);
    return foundIndex < 0 ? Math.min(index, current.length) : foundIndex;
  }

  return {
    indexOf,
    totalSec: (): number => timeline().totalSec,
    toSec(position: PlaybackPosition): number {
      const { startsSec, durationsSec, totalSec } = timeline();
      const index = indexOf(position);
      const start = startsSec[index];
      if (start === undefined) return totalSec;
      return Math.min(
        start + position.offsetSec,
        startsSec[index + 1] ?? Math.max(totalSec, start + (durationsSec[index] ?? 0)),
      );
    },
    /** Undefined if there are no sentences. */
    at(sec: number): PlaybackPosition | undefined {
      const { startsSec } = timeline();
      const index = sentenceIndexAt(timeline(), sec);
      if (index < 0) return undefined;
      return {
        id: sentences()[index]?.id,
        index,
        offsetSec: Math.max(0, sec - (startsSec[index] ?? 0)),
      };
    },
  };
}
