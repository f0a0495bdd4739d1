// While the sound plays: marks the word being spoken and says which segment it is in, on every frame that something
// changes. Finding it is by halving, so a long transcript costs no more than a short one.

import { playerPositionSec, usePlayer } from "../../../stores/player.ts";
import { segmentIndexAt, wordIndexAt } from "../document/segment-at-time.ts";
import { wordRanges } from "../document/segments.ts";
import type { Mark } from "./highlights.ts";
import type { OpenTranscript } from "./open-transcripts.ts";

const noMarks: ReadonlyMap<number, readonly Mark[]> = new Map();

/** @returns what ends it. */
export function followPlayback({ itemId, store, view, highlights }: OpenTranscript): () => void {
  let frame = 0;
  let shownKey: string | undefined;

  function updateMarks(): void {
    const { segments } = store.getState();
    const { isPlaying, source, positionSec } = usePlayer.getState();
    const isInPlayer = source?.id === itemId;
    const sec = isPlaying ? playerPositionSec() : positionSec;
    const segment =
      isInPlayer && (isPlaying || positionSec > 0)
        ? segments[segmentIndexAt(segments, sec)]
        : undefined;
    const word = segment === undefined ? undefined : wordIndexAt(segment, sec);
    const key = `${segment?.id} ${word}`;
    if (key === shownKey) return;
    shownKey = key;
    if (view.getState().playingSegmentId !== segment?.id)
      view.setState({ playingSegmentId: segment?.id });
    const wordRange =
      segment === undefined || word === undefined
        ? undefined
        : wordRanges(segment).find((range) => range.index === word);
    highlights.mark(
      "spoken",
      segment === undefined || wordRange === undefined
        ? noMarks
        : new Map([[segment.id, [wordRange]]]),
    );
  }

  function runFrame(): void {
    updateMarks();
    frame = usePlayer.getState().isPlaying ? requestAnimationFrame(runFrame) : 0;
  }

  const stopPlayer = usePlayer.subscribe(() => {
    if (frame === 0) runFrame();
  });
  const stopStore = store.subscribe(() => {
    // Other text under the same word: its place is looked up anew.
    shownKey = undefined;
    if (frame === 0) runFrame();
  });
  runFrame();
  return () => {
    cancelAnimationFrame(frame);
    stopPlayer();
    stopStore();
    highlights.mark("spoken", noMarks);
  };
}
