// Changes of who says what that may split segments: a range is somebody's, or somebody else begins. Pure; each is a
// patch and one undo step.

import { speakerLetters } from "../../../../main/contract/speakers.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { wordRanges } from "../../../../main/contract/word-positions.ts";
import { newSegmentId, segmentsInRange, split } from "./edits.ts";
import { isSameSegment, type Patch } from "./segments.ts";
import { assignSpeaker } from "./speakers.ts";

const middleSec = ({ startSec, endSec }: { startSec: number; endSec: number }): number =>
  (startSec + endSec) / 2;

/** Split before the first word whose middle is at `sec` or later; whole if all words are on one side. */
function cutAt(segment: DocumentSegment, sec: number): readonly DocumentSegment[] {
  const after = wordRanges(segment).find(({ index }) => {
    const word = segment.words[index];
    return word !== undefined && middleSec(word) >= sec;
  });
  return (after && split(segment, after.start)?.put) ?? [segment];
}

/** Segments that lie in the range only in part are split between words. `name` undefined removes the speaker. */
export function assignRange(
  segments: readonly DocumentSegment[],
  { fromSec, toSec }: { readonly fromSec: number; readonly toSec: number },
  name: string | undefined,
): Patch {
  const put = segmentsInRange(segments, fromSec, toSec).flatMap((segment) => {
    const parts = cutAt(segment, fromSec).flatMap((part) => cutAt(part, toSec));
    const inside = parts.filter((part) => middleSec(part) >= fromSec && middleSec(part) < toSec);
    const changed = new Map(assignSpeaker(inside, name).put.map((part) => [part.id, part]));
    return changed.size === 0 ? [] : parts.map((part) => changed.get(part.id) ?? part);
  });
  return { put, remove: [] };
}

/** The segment and all later ones of its speaker. */
export function sameSpeakerFrom(
  segments: readonly DocumentSegment[],
  id: number,
): readonly DocumentSegment[] {
  const from = segments.findIndex((segment) => segment.id === id);
  if (from < 0) return [];
  const speaker = segments[from]?.speaker;
  return segments.slice(from).filter((segment) => segment.speaker === speaker);
}

/**
 * Somebody else speaks from here on: the segment from `offset` of its text on, and all later ones of its speaker, get
 * another name.
 */
export function splitSpeaker(
  segments: readonly DocumentSegment[],
  { id, offset }: { readonly id: number; readonly offset: number },
  name: string,
): Patch {
  const [segment, ...later] = sameSpeakerFrom(segments, id);
  if (segment === undefined) return { put: [], remove: [] };
  const [before, after] = split(segment, offset)?.put ?? [];
  if (before === undefined || after === undefined) return assignSpeaker([segment, ...later], name);
  return { put: [before, ...assignSpeaker([after, ...later], name).put], remove: [] };
}

/**
 * Gives segments the speakers that were found for them as they were `before`; they are split where several people share
 * one. Those changed since stay whole, and get the one who says most of them.
 * @param found the parts of each segment, all with its id
 */
export function applyFoundSpeakers(
  segments: readonly DocumentSegment[],
  before: readonly DocumentSegment[],
  found: readonly (readonly DocumentSegment[])[],
): Patch {
  const beforeById = new Map(before.map((segment) => [segment.id, segment]));
  const partsById = new Map(found.map((parts) => [parts[0]?.id, parts]));
  const put = segments.flatMap((segment) => {
    const parts = partsById.get(segment.id);
    if (parts === undefined) return [];
    const asBefore = beforeById.get(segment.id);
    const isUnchanged = asBefore !== undefined && isSameSegment(segment, asBefore);
    if (parts.length > 1 && isUnchanged)
      return parts.map((part, index) => (index === 0 ? part : { ...part, id: newSegmentId() }));
    const longest = parts.reduce((one, other) => (lengthSec(other) > lengthSec(one) ? other : one));
    return assignSpeaker([segment], longest.speaker).put;
  });
  return { put, remove: [] };
}

const lengthSec = ({ startSec, endSec }: DocumentSegment): number => endSec - startSec;

/** A letter that no speaker is named by, as the app names them. */
export function unusedSpeakerName(names: readonly string[]): string {
  for (let number = 0; ; number += 1) {
    const letters = speakerLetters(number);
    if (!names.includes(letters)) return letters;
  }
}
