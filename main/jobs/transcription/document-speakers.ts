// Adds speakers to a transcript of the library.

import {
  isSpeakerLetters,
  type KnownVoice,
  speakerLetters,
  type Speakers,
  type SpeakerTurn,
} from "../../contract/speakers.ts";
import {
  type DocumentSegment,
  firstEditedSegmentId,
  type TranscriptDocument,
} from "../../contract/transcript-document.ts";
import { keepTranscribedSpeakers } from "../../transcript/transcribed-speakers.ts";
import { createSpeakerAssignment } from "../../transcript/speaker-assignment.ts";
import { nameSpeakers, type SpeakerName } from "../../transcript/speaker-names.ts";
import { createTurnSearch } from "../../transcript/turn-search.ts";

type Segments = readonly DocumentSegment[];

export type SpeakerLabels = {
  /** New and changed segments: those without a speaker get one, and are split where several people share one. */
  readonly put: DocumentSegment[];
  /** Names of known voices among them, and how sure they are. */
  readonly recognized: Record<string, number>;
};

export function labelSegments(
  { segments }: Pick<TranscriptDocument, "segments">,
  found: Speakers,
  voices: readonly KnownVoice[],
): SpeakerLabels {
  const speakers = keepTranscribedSpeakers(found, segments);
  const nameOf = createNaming(speakers, voices, namesInUse(segments, speakers.turns));
  const { parts, recognized } = assignParts(unnamed(segments), speakers.turns, nameOf);
  let lastId = segments.reduce((last, { id }) => Math.max(last, id), firstEditedSegmentId - 1);
  const put = parts.flatMap(([first, ...others]) => [
    ...(first === undefined ? [] : [first]),
    ...others.map((part) => ({ ...part, id: (lastId += 1) })),
  ]);
  return { put, recognized };
}

/**
 * All segments get a speaker, whoever they had. Names that somebody gave stay: each goes to the speaker who says most
 * of what it stands at.
 * @returns the parts of each segment, all with its id
 */
export function relabelSegments(
  { segments, recognized: guessed = {} }: Pick<TranscriptDocument, "segments" | "recognized">,
  found: Speakers,
  voices: readonly KnownVoice[],
): { parts: DocumentSegment[][]; recognized: Record<string, number> } {
  const speakers = keepTranscribedSpeakers(found, segments);
  const named = segments.filter(
    ({ speaker }) => speaker !== undefined && !isSpeakerLetters(speaker) && !(speaker in guessed),
  );
  const nameOf = createNaming(speakers, voices, givenNames(named, speakers.turns));
  return assignParts(segments, speakers.turns, nameOf);
}

function assignParts(
  segments: readonly Omit<DocumentSegment, "speaker">[],
  turns: readonly SpeakerTurn[],
  nameOf: (speaker: number) => SpeakerName,
): { parts: DocumentSegment[][]; recognized: Record<string, number> } {
  const assign = createSpeakerAssignment(turns);
  const recognized: Record<string, number> = {};
  const parts = segments.map((segment) =>
    assign(segment).map((part) => {
      const { name, confidence } = nameOf(part.speaker);
      if (confidence !== undefined) recognized[name] = confidence;
      return { ...part, speaker: name };
    }),
  );
  return { parts, recognized };
}

/** Segments without a speaker get the one who says most of them; none is split. */
export function labelWholeSegments(
  { segments }: Pick<TranscriptDocument, "segments">,
  found: Speakers,
  voices: readonly KnownVoice[],
): DocumentSegment[] {
  const speakers = keepTranscribedSpeakers(found, segments);
  const nameOf = createNaming(speakers, voices, namesInUse(segments, speakers.turns));
  const assign = createSpeakerAssignment(speakers.turns);
  return unnamed(segments).map((segment) => {
    const [longest] = assign(segment).sort(
      (one, other) => other.endSec - other.startSec - (one.endSec - one.startSec),
    );
    return { ...segment, speaker: nameOf(longest?.speaker ?? 0).name };
  });
}

function createNaming(
  { prints }: Speakers,
  voices: readonly KnownVoice[],
  given: ReadonlyMap<number, string>,
): (speaker: number) => SpeakerName {
  const names = nameSpeakers(prints, voices, given);
  return (speaker) => names[speaker] ?? { name: speakerLetters(speaker) };
}

const unnamed = (segments: Segments): Omit<DocumentSegment, "speaker">[] =>
  segments
    .filter(({ speaker }) => speaker === undefined)
    .map((segment) => {
      const { speaker: _, ...rest } = segment;
      return rest;
    });

type NamedOverlap = { readonly speaker: number; readonly name: string; readonly sec: number };

/** For how long speakers talk where names stand, the longest first. */
function namedOverlaps(segments: Segments, turns: readonly SpeakerTurn[]): NamedOverlap[] {
  const search = createTurnSearch(turns);
  const secBySpeaker = new Map<number, Map<string, number>>();
  for (const { startSec, endSec, speaker: name } of segments) {
    if (name === undefined) continue;
    for (const { speaker, fromSec, toSec } of search.inside(startSec, endSec)) {
      const overlapSec = Math.min(endSec, toSec) - Math.max(startSec, fromSec);
      const secByName = secBySpeaker.get(speaker) ?? new Map<string, number>();
      secBySpeaker.set(speaker, secByName.set(name, (secByName.get(name) ?? 0) + overlapSec));
    }
  }
  return [...secBySpeaker]
    .flatMap(([speaker, secByName]) =>
      Array.from(secByName, ([name, sec]) => ({ speaker, name, sec })),
    )
    .sort((one, other) => other.sec - one.sec);
}

/** Names that speakers have already, by a person or by what was transcribed before: speaker → name. */
function namesInUse(segments: Segments, turns: readonly SpeakerTurn[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const { speaker, name } of namedOverlaps(segments, turns))
    if (!names.has(speaker)) names.set(speaker, name);
  return names;
}

/** Speaker → the name that stands where they talk; each name once. */
function givenNames(segments: Segments, turns: readonly SpeakerTurn[]): Map<number, string> {
  const names = new Map<number, string>();
  const taken = new Set<string>();
  for (const { speaker, name } of namedOverlaps(segments, turns)) {
    if (names.has(speaker) || taken.has(name)) continue;
    names.set(speaker, name);
    taken.add(name);
  }
  return names;
}
