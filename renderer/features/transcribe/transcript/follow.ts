// While the sound plays: marks the word being spoken and says which segment it is in, on every frame that something
// changes. Finding it is by halving, so a long transcript costs no more than a short one.

import { playerNow, usePlayer } from "../../../stores/player.ts";
import { segmentAt, wordAt } from "../document/place.ts";
import { wordRanges } from "../document/segments.ts";
import type { Mark } from "./highlights.ts";
import type { OpenTranscript } from "./open-transcripts.ts";

const nothing: ReadonlyMap<number, readonly Mark[]> = new Map();

/** @returns what ends it. */
export function followPlayer({ itemId, store, view, highlights }: OpenTranscript): () => void {
  let frame = 0;
  let shown: string | undefined;

  function look(): void {
    const { segments } = store.getState();
    const { isPlaying, source, positionSec } = usePlayer.getState();
    const isOurs = source?.id === itemId;
    const sec = isPlaying ? playerNow() : positionSec;
    const segment =
      isOurs && (isPlaying || positionSec > 0) ? segments[segmentAt(segments, sec)] : undefined;
    const word = segment === undefined ? undefined : wordAt(segment, sec);
    const now = `${segment?.id} ${word}`;
    if (now === shown) return;
    shown = now;
    if (view.getState().spokenId !== segment?.id) view.setState({ spokenId: segment?.id });
    const place =
      segment === undefined || word === undefined
        ? undefined
        : wordRanges(segment).find((range) => range.index === word);
    highlights.mark(
      "spoken",
      segment === undefined || place === undefined ? nothing : new Map([[segment.id, [place]]]),
    );
  }

  function run(): void {
    look();
    frame = usePlayer.getState().isPlaying ? requestAnimationFrame(run) : 0;
  }

  const stopPlayer = usePlayer.subscribe(() => {
    if (frame === 0) run();
  });
  const stopStore = store.subscribe(() => {
    // Other text under the same word: its place is looked up anew.
    shown = undefined;
    if (frame === 0) run();
  });
  run();
  return () => {
    cancelAnimationFrame(frame);
    stopPlayer();
    stopStore();
    highlights.mark("spoken", nothing);
  };
}
