// A stretch of an item heard anew, by another model or with another prompt, to be compared with what is there. It is
// heard from a little before to a little behind, as first and last sounds are lost at a hard cut.

import type { DocumentSegment, TranscribeOptions } from "../../contract/studio.ts";
import { AppError } from "../../contract/errors.ts";
import type { HeardSegment } from "../../library/documents.ts";
import type { OnAsked } from "./asking.ts";
import { type HearingDeps, hearPart } from "./hearing.ts";

export type Span = { fromSec: number; toSec: number };
export type HeardBefore = {
  segments: readonly Pick<DocumentSegment, "startSec" | "endSec" | "words">[];
  /** 0: not known. */ durationSec: number;
};

/** @param around what the item's transcript says now @param onProgress told how much of it was heard, 0 to 1 @throws AppError where it cannot be heard, or only in part */
export async function heardLater(
  deps: HearingDeps,
  {
    mediaPath,
    around,
    onAsked,
    onProgress,
  }: {
    mediaPath: string;
    around: HeardBefore;
    onAsked: OnAsked;
    onProgress: (progress: number) => void;
  },
  options: TranscribeOptions & Span,
  signal: AbortSignal,
): Promise<{ segments: DocumentSegment[]; tookMs: number; channel: string }> {
  const { fromSec, toSec, ...rest } = options;
  const begunMs = performance.now();
  const segments: DocumentSegment[] = [];
  const span = withMargins({ fromSec, toSec }, around);
  let channel = "";
  for await (const news of hearPart(deps, { mediaPath, options: rest, ...span, onAsked }, signal)) {
    onProgress(Math.min(1, (news.heardSec - span.fromSec) / (span.toSec - span.fromSec)));
    const [failed] = news.failed;
    if (failed !== undefined) throw new AppError("engine_failed", failed.message);
    for (const heard of news.segments) {
      const segment = saidWithin(heard, { fromSec, toSec });
      if (segment !== undefined) segments.push({ ...segment, id: segments.length });
    }
    channel = news.channels.join(", ");
  }
  return { segments, tookMs: Math.round(performance.now() - begunMs), channel };
}

const marginSec = 0.3;

/** No further than the middle of the pause towards the words before and behind. */
export function withMargins(
  { fromSec, toSec }: Span,
  { segments, durationSec }: HeardBefore,
): Span {
  const spoken = segments.flatMap(({ startSec, endSec, words }) =>
    words.length > 0 ? words : [{ startSec, endSec }],
  );
  let [beforeSec, behindSec] = [-Infinity, Infinity];
  for (const word of spoken) {
    if (middleOf(word) < fromSec) beforeSec = Math.max(beforeSec, word.endSec);
    if (middleOf(word) > toSec) behindSec = Math.min(behindSec, word.startSec);
  }
  const most = durationSec > 0 ? Math.max(durationSec, toSec) : Infinity;
  return {
    fromSec: Math.max(0, fromSec - marginSec, (Math.min(beforeSec, fromSec) + fromSec) / 2),
    toSec: Math.min(most, toSec + marginSec, (Math.max(behindSec, toSec) + toSec) / 2),
  };
}

/** Without the words at its ends that lie outside; undefined where none is left. */
export function saidWithin<Segment extends HeardSegment>(
  segment: Segment,
  { fromSec, toSec }: Span,
): Segment | undefined {
  const isWithin = (part: { startSec: number; endSec: number }): boolean =>
    middleOf(part) >= fromSec && middleOf(part) <= toSec;
  const first = segment.words.findIndex(isWithin);
  if (segment.words.length === 0) return isWithin(segment) ? segment : undefined;
  if (first < 0) return undefined;
  const last = segment.words.findLastIndex(isWithin);
  const places = placesOf(segment);
  const words = segment.words.slice(first, last + 1);
  // Text that its words are not found in stays whole: nobody could say where to cut it.
  if (words.length === segment.words.length || places === undefined) return segment;
  return {
    ...segment,
    words,
    text: segment.text.slice(places[first], places[last + 1]).trim(),
    startSec: words[0]?.startSec ?? segment.startSec,
    endSec: words.at(-1)?.endSec ?? segment.endSec,
  };
}

/** Where in the text each word begins. */
function placesOf({ text, words }: HeardSegment): number[] | undefined {
  const places: number[] = [];
  let from = 0;
  for (const { word } of words) {
    const place = text.indexOf(word.trim(), from);
    if (place < 0) return undefined;
    places.push(place);
    from = place + word.trim().length;
  }
  return places;
}

const middleOf = ({ startSec, endSec }: { startSec: number; endSec: number }): number =>
  (startSec + endSec) / 2;
