// Adds speakers to a transcript of the library.

import {
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
  speakers: Speakers,
  voices: readonly KnownVoice[],
): SpeakerLabels {
  const nameOf = createNaming(segments, speakers, voices);
  const assign = createSpeakerAssignment(speakers.turns);
  const recognized: Record<string, number> = {};
  let lastId = segments.reduce((last, { id }) => Math.max(last, id), firstEditedSegmentId - 1);
  const put = unnamed(segments).flatMap((segment) =>
    assign(segment).map((part, index) => {
      const { name, confidence } = nameOf(part.speaker);
      if (confidence !== undefined) recognized[name] = confidence;
      return { ...part, id: index === 0 ? segment.id : (lastId += 1), speaker: name };
    }),
  );
  return { put, recognized };
}

/** Segments without a speaker get the one who says most of them; none is split. */
export function labelWholeSegments(
  { segments }: Pick<TranscriptDocument, "segments">,
  speakers: Speakers,
  voices: readonly KnownVoice[],
): DocumentSegment[] {
  const nameOf = createNaming(segments, speakers, voices);
  const assign = createSpeakerAssignment(speakers.turns);
  return unnamed(segments).map((segment) => {
    const [longest] = assign(segment).sort(
      (one, other) => other.endSec - other.startSec - (one.endSec - one.startSec),
    );
    return { ...segment, speaker: nameOf(longest?.speaker ?? 0).name };
  });
}

function createNaming(
  segments: Segments,
  { turns, prints }: Speakers,
  voices: readonly KnownVoice[],
): (speaker: number) => SpeakerName {
  const names = nameSpeakers(prints, voices, namesInUse(segments, turns));
  return (speaker) => names[speaker] ?? { name: speakerLetters(speaker) };
}

const unnamed = (segments: Segments): Omit<DocumentSegment, "speaker">[] =>
  segments
    .filter(({ speaker }) => speaker === undefined)
    .map((segment) => {
      const { speaker: _, ...rest } = segment;
      return rest;
    });

/** Names that speakers have already, by a person or by what was transcribed before: speaker → name. */
function namesInUse(segments: Segments, turns: readonly SpeakerTurn[]): Map<number, string> {
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
  const names = new Map<number, string>();
  for (const [speaker, secByName] of secBySpeaker) {
    const [longest] = [...secByName].sort(([, one], [, other]) => other - one);
    if (longest !== undefined) names.set(speaker, longest[0]);
  }
  return names;
}
