// Speakers: names of who says a segment, found by the app or given by the user. Pure; every change is a patch and one
// undo step.

import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import type { Patch } from "./segments.ts";

export type Speaker = {
  readonly name: string;
  /** Number of segments. */
  readonly count: number;
  /** 1 to 6, in the order in which they first speak. */
  readonly hue: number;
};

const hueCount = 6;

export const maxSpeakerNameLength = 60;
export const normalizeSpeakerName = (draft: string): string => draft.replaceAll(/\s+/g, " ").trim();

/** In the order in which they first speak. */
export function listSpeakers(segments: readonly DocumentSegment[]): readonly Speaker[] {
  const counts = new Map<string, number>();
  for (const { speaker } of segments)
    if (speaker !== undefined) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  return Array.from(counts, ([name, count], at) => ({ name, count, hue: (at % hueCount) + 1 }));
}

/** The segment and those that follow it with the same speaker (or likewise none). */
export function sameSpeakerRun(
  segments: readonly DocumentSegment[],
  id: number,
): readonly DocumentSegment[] {
  const from = segments.findIndex((segment) => segment.id === id);
  if (from < 0) return [];
  const { speaker } = segments[from] as DocumentSegment;
  const end = segments.findIndex((segment, at) => at > from && segment.speaker !== speaker);
  return segments.slice(from, end < 0 ? undefined : end);
}

const setSpeaker = (segment: DocumentSegment, speaker: string | undefined): DocumentSegment => ({
  ...segment,
  speaker,
});

/** `name` undefined removes the speaker. */
export const assignSpeaker = (
  segments: readonly DocumentSegment[],
  name: string | undefined,
): Patch => ({
  put: segments
    .filter(({ speaker }) => speaker !== name)
    .map((segment) => setSpeaker(segment, name)),
  remove: [],
});

/** In the whole transcript; an existing new name merges both speakers. */
export const renameSpeaker = (
  segments: readonly DocumentSegment[],
  name: string,
  newName: string,
): Patch =>
  assignSpeaker(
    segments.filter(({ speaker }) => speaker === name),
    newName,
  );

/** Copies speakers to a new transcription of a range, from the old segment with the largest overlap. */
export function inheritSpeakers(
  transcribed: readonly DocumentSegment[],
  before: readonly DocumentSegment[],
): readonly DocumentSegment[] {
  return transcribed.map((segment) => {
    let maxOverlapSec = 0;
    let speaker: string | undefined;
    for (const replacedSegment of before) {
      const overlapSec =
        Math.min(replacedSegment.endSec, segment.endSec) -
        Math.max(replacedSegment.startSec, segment.startSec);
      if (overlapSec <= maxOverlapSec) continue;
      maxOverlapSec = overlapSec;
      speaker = replacedSegment.speaker;
    }
    return setSpeaker(segment, speaker);
  });
}
