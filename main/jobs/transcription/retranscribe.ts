// Transcribes a range of an item again, with another model or prompt, to compare it with the existing text. The range
// is extended by a margin, since a hard cut loses the first and last sounds.

import type {
  DocumentOptions,
  DocumentSegment,
  TranscribeOptions,
} from "../../contract/transcript-document.ts";
import { AppError } from "../../contract/errors.ts";
import type { TranscribedSegment } from "../../library/transcript-rows.ts";
import { labelTrack } from "./tracks.ts";
import { type TranscribeRangeDeps, transcribeRange } from "./transcribe-range.ts";

export type TimeRange = { fromSec: number; toSec: number };
export type ExistingTranscript = {
  segments: readonly Pick<DocumentSegment, "startSec" | "endSec" | "words">[];
  tracks?: DocumentOptions["tracks"] | undefined;
  /** 0 if unknown. */ durationSec: number;
};

/**
 * @param existing the item's current transcript @param onProgress receives 0 to 1 @throws AppError if the range cannot
 * be transcribed completely
 */
export async function retranscribeRange(
  deps: TranscribeRangeDeps,
  {
    mediaPath,
    existing,
    onSentTo,
    onProgress,
  }: {
    mediaPath: string;
    existing: ExistingTranscript;
    onSentTo: (channel: string) => void;
    onProgress: (progress: number) => void;
  },
  options: TranscribeOptions & TimeRange,
  signal: AbortSignal,
): Promise<{ segments: DocumentSegment[]; tookMs: number; channel: string }> {
  const { fromSec, toSec, ...optionsWithoutRange } = options;
  const startedMs = performance.now();
  const segments: TranscribedSegment[] = [];
  const rangeWithMargins = withMargins({ fromSec, toSec }, existing);
  const lengthSec = rangeWithMargins.toSec - rangeWithMargins.fromSec;
  const { tracks } = existing;
  const channels = tracks === undefined ? [undefined] : [...tracks.keys()];
  let channel = "";
  for (const [index, track] of channels.entries()) {
    for await (const update of transcribeRange(
      deps,
      { mediaPath, options: optionsWithoutRange, ...rangeWithMargins, channel: track, onSentTo },
      signal,
    )) {
      const share = Math.min(1, (update.processedSec - rangeWithMargins.fromSec) / lengthSec);
      onProgress((index + share) / channels.length);
      const [failed] = update.failed;
      if (failed !== undefined) {
        const { startSec: _, endSec: __, ...why } = failed;
        throw new AppError("verbatim", { text: why }, { key: "engine_failed" });
      }
      for (const transcribed of labelTrack(update.segments, tracks, track)) {
        const segment = trimToRange(transcribed, { fromSec, toSec });
        if (segment !== undefined) segments.push(segment);
      }
      channel = update.channel ?? channel;
    }
  }
  return {
    segments: segments
      .toSorted((one, other) => one.startSec - other.startSec)
      .map((segment, id) => ({ ...segment, id })),
    tookMs: Math.round(performance.now() - startedMs),
    channel,
  };
}

const marginSec = 0.3;

/** Adds margins that end at the latest in the middle of the pause to the neighboring words. */
export function withMargins(
  { fromSec, toSec }: TimeRange,
  { segments, durationSec }: ExistingTranscript,
): TimeRange {
  const existingWords = segments.flatMap(({ startSec, endSec, words }) =>
    words.length > 0 ? words : [{ startSec, endSec }],
  );
  let [previousEndSec, nextStartSec] = [-Infinity, Infinity];
  for (const word of existingWords) {
    if (midpointSec(word) < fromSec) previousEndSec = Math.max(previousEndSec, word.endSec);
    if (midpointSec(word) > toSec) nextStartSec = Math.min(nextStartSec, word.startSec);
  }
  const maxEndSec = durationSec > 0 ? Math.max(durationSec, toSec) : Infinity;
  return {
    fromSec: Math.max(0, fromSec - marginSec, (Math.min(previousEndSec, fromSec) + fromSec) / 2),
    toSec: Math.min(maxEndSec, toSec + marginSec, (Math.max(nextStartSec, toSec) + toSec) / 2),
  };
}

/** Removes words at both ends that lie outside the range; undefined if none is left. */
export function trimToRange<Segment extends TranscribedSegment>(
  segment: Segment,
  { fromSec, toSec }: TimeRange,
): Segment | undefined {
  const isWithin = (part: { startSec: number; endSec: number }): boolean =>
    midpointSec(part) >= fromSec && midpointSec(part) <= toSec;
  const first = segment.words.findIndex(isWithin);
  if (segment.words.length === 0) return isWithin(segment) ? segment : undefined;
  if (first < 0) return undefined;
  const last = segment.words.findLastIndex(isWithin);
  const offsets = wordOffsets(segment);
  const words = segment.words.slice(first, last + 1);
  // If the words are not found in the text, it cannot be cut and stays whole.
  if (words.length === segment.words.length || offsets === undefined) return segment;
  return {
    ...segment,
    words,
    text: segment.text.slice(offsets[first], offsets[last + 1]).trim(),
    startSec: words[0]?.startSec ?? segment.startSec,
    endSec: words.at(-1)?.endSec ?? segment.endSec,
  };
}

/** Offset of each word in the text. */
function wordOffsets({ text, words }: TranscribedSegment): number[] | undefined {
  const offsets: number[] = [];
  let searchFrom = 0;
  for (const { word } of words) {
    const offset = text.indexOf(word.trim(), searchFrom);
    if (offset < 0) return undefined;
    offsets.push(offset);
    searchFrom = offset + word.trim().length;
  }
  return offsets;
}

const midpointSec = ({ startSec, endSec }: { startSec: number; endSec: number }): number =>
  (startSec + endSec) / 2;
