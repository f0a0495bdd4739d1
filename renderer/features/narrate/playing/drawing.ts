// The picture of a narration for the player's strip: read once all of it is made, and anew when it becomes another.
// Until then it is put together of what the last one showed.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import { readNarrationPeaks } from "../../../api/raw.ts";
import { peaksPerSec } from "../../../ui/wave-columns.ts";
import { chosenOf, timelineOf } from "./timeline.ts";

const emptyPeaks = new Uint8Array();
const silence = 128;
/** Takes come by the dozen while they are made. */
const restMs = 300;

/** Where each sentence's take is among the peaks, in bytes: a pair a hundredth of a second. */
function placesOf(
  sentences: readonly NarrationSentence[],
): { takeId: string | undefined; from: number; to: number }[] {
  // The speed is for guesses where nothing is made: nothing is drawn then.
  const { starts, sounds } = timelineOf(sentences, 1);
  return sentences.map((sentence, index) => {
    const from = 2 * Math.round((starts[index] ?? 0) * peaksPerSec);
    return {
      takeId: chosenOf(sentence)?.id,
      from,
      to: from + 2 * Math.ceil((sounds[index] ?? 0) * peaksPerSec),
    };
  });
}

/** The takes' own parts of a picture of the whole, by their ids. */
export const partsOf = (
  peaks: Uint8Array,
  sentences: readonly NarrationSentence[],
): ReadonlyMap<string, Uint8Array> =>
  new Map(
    placesOf(sentences).flatMap(({ takeId, from, to }) =>
      takeId === undefined ? [] : [[takeId, peaks.subarray(from, to)] as const],
    ),
  );

/** A picture of what is known, silent elsewhere; empty where nothing is. */
export function pictureOf(
  parts: ReadonlyMap<string, Uint8Array>,
  sentences: readonly NarrationSentence[],
): Uint8Array {
  const known = placesOf(sentences).flatMap(({ takeId, from }) => {
    const part = takeId === undefined ? undefined : parts.get(takeId);
    return part === undefined ? [] : [{ part, from }];
  });
  const peaks = new Uint8Array(
    Math.max(0, ...known.slice(-1).map(({ part, from }) => from + part.length)),
  ).fill(silence);
  for (const { part, from } of known) peaks.set(part.subarray(0, peaks.length - from), from);
  return peaks;
}

/** Answers what is to be called whenever the sound may be another. */
export function createDrawing(
  itemId: string,
  sentences: () => readonly NarrationSentence[],
  onPeaks: (peaks: Uint8Array) => void,
): () => void {
  let drawn: string | undefined;
  let peaks: Uint8Array = emptyPeaks;
  let parts: ReadonlyMap<string, Uint8Array> = new Map();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    const all = sentences();
    if (all.length === 0 || all.some(({ takes }) => takes.length === 0))
      return onPeaks(pictureOf(parts, all));
    const wanted = all
      .map((sentence) => `${chosenOf(sentence)?.id} ${sentence.pauseSec}`)
      .join(" ");
    if (wanted !== drawn) {
      peaks = await readNarrationPeaks(itemId);
      drawn = wanted;
      parts = partsOf(peaks, all);
    }
    onPeaks(peaks);
  }

  return () => {
    clearTimeout(timer);
    // Without it the sound plays all the same.
    timer = setTimeout(() => void read().catch(() => undefined), restMs);
  };
}
