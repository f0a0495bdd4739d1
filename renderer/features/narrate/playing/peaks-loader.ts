// Loads the peaks of a narration for the player: once everything is generated, and again after changes. Until then they
// are combined from the parts of the last peaks that still apply.

import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import { readNarrationPeaks } from "../../../api/binary.ts";
import { peaksPerSec } from "../../../ui/waveform-columns.ts";
import { selectedTake, computeTimeline } from "./timeline.ts";

const emptyPeaks = new Uint8Array();
const silencePeak = 128;
/** Many takes may arrive in a short time while sentences are generated. */
const debounceMs = 300;

/** Byte range of each sentence's take in the peaks: a pair of bytes for each 10 ms. */
function peakByteRanges(
  sentences: readonly NarrationSentence[],
): { takeId: string | undefined; startByte: number; endByte: number }[] {
  // The speed matters only for estimates, and nothing is drawn for sentences that are not generated.
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

/** Splits peaks of the whole narration by take id. */
export const splitPeaksByTake = (
  peaks: Uint8Array,
  sentences: readonly NarrationSentence[],
): ReadonlyMap<string, Uint8Array> =>
  new Map(
    peakByteRanges(sentences).flatMap(({ takeId, startByte, endByte }) =>
      takeId === undefined ? [] : [[takeId, peaks.subarray(startByte, endByte)] as const],
    ),
  );

/** Peaks with the known parts, silent elsewhere; empty if no part is known. */
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

/** @returns what to call whenever the audio may have changed */
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
    // Playback works without peaks.
    timer = setTimeout(() => void load().catch(() => undefined), debounceMs);
  };
}
