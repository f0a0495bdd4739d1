// Highlights the spoken word during playback and sets the current segment, checked on every frame. Lookups are binary
// searches, so long transcripts cost no more.

import { wordRanges } from "../../../../main/contract/word-positions.ts";
import { playerPositionSec, usePlayer } from "../../../stores/player.ts";
import { segmentIndexAt, wordIndexAt } from "../document/segment-at-time.ts";
import type { Mark } from "./highlights.ts";
import type { OpenTranscript } from "./open-transcripts.ts";

const noMarks: ReadonlyMap<number, readonly Mark[]> = new Map();

/** @returns stop function */
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
    // The text changed, so the word's position must be looked up again.
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
