// The picture of a narration for the player's strip: read once all of it is made, and anew when it becomes another.
// Until then it is put together of what the last one showed.

import type { NarrationSentence } from "../../../../main/contract/studio.ts";
import { readNarrationPeaks } from "../../../api/binary.ts";
import { peaksPerSec } from "../../../ui/waveform-columns.ts";
import { selectedTake, computeTimeline } from "./timeline.ts";

const emptyPeaks = new Uint8Array();
const silencePeak = 128;
/** Takes come by the dozen while they are made. */
const debounceMs = 300;

/** Where each sentence's take is among the peaks, in bytes: a pair a hundredth of a second. */
function peakByteRanges(
  sentences: readonly NarrationSentence[],
): { takeId: string | undefined; startByte: number; endByte: number }[] {
  // The speed is for guesses where nothing is made: nothing is drawn then.
  const { startsSec, durationsSec } = computeTimeline(sentences, 1);
  return sentences.map((sentence, index) => {
    const startByte = 2 * Math.round((startsSec[index] ?? 0) * peaksPerSec);
    return {
      takeId: selectedTake(sentence)?.id,
      startByte,
      endByte: startByte + 2 * Math.ceil((durationsSec[index] ?? 0) * peaksPerSec),
    };
  });
}

/** The takes' own parts of a picture of the whole, by their ids. */
export const splitPeaksByTake = (
  peaks: Uint8Array,
  sentences: readonly NarrationSentence[],
): ReadonlyMap<string, Uint8Array> =>
  new Map(
    peakByteRanges(sentences).flatMap(({ takeId, startByte, endByte }) =>
      takeId === undefined ? [] : [[takeId, peaks.subarray(startByte, endByte)] as const],
    ),
  );

/** A picture of what is known, silent elsewhere; empty where nothing is. */
export function combinePeaks(
  parts: ReadonlyMap<string, Uint8Array>,
  sentences: readonly NarrationSentence[],
): Uint8Array {
  const knownParts = peakByteRanges(sentences).flatMap(({ takeId, startByte }) => {
    const part = takeId === undefined ? undefined : parts.get(takeId);
    return part === undefined ? [] : [{ part, startByte }];
  });
  const peaks = new Uint8Array(
    Math.max(0, ...knownParts.slice(-1).map(({ part, startByte }) => startByte + part.length)),
  ).fill(silencePeak);
  for (const { part, startByte } of knownParts)
    peaks.set(part.subarray(0, peaks.length - startByte), startByte);
  return peaks;
}

/** Answers what is to be called whenever the sound may be another. */
export function createPeaksLoader(
  itemId: string,
  sentences: () => readonly NarrationSentence[],
  onPeaks: (peaks: Uint8Array) => void,
): () => void {
  let loadedKey: string | undefined;
  let peaks: Uint8Array = emptyPeaks;
  let parts: ReadonlyMap<string, Uint8Array> = new Map();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function load(): Promise<void> {
    const all = sentences();
    if (all.length === 0 || all.some(({ takes }) => takes.length === 0))
      return onPeaks(combinePeaks(parts, all));
    const peaksKey = all
      .map((sentence) => `${selectedTake(sentence)?.id} ${sentence.pauseSec}`)
      .join(" ");
    if (peaksKey !== loadedKey) {
      peaks = await readNarrationPeaks(itemId);
      loadedKey = peaksKey;
      parts = splitPeaksByTake(peaks, all);
    }
    onPeaks(peaks);
  }

  return () => {
    clearTimeout(timer);
    // Without it the sound plays all the same.
    timer = setTimeout(() => void load().catch(() => undefined), debounceMs);
  };
}
