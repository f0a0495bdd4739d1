// Adds speakers to a transcript of the library.

import { speakerLetters, type SpeakerTurn } from "../../contract/speakers.ts";
import {
  type DocumentSegment,
  firstEditedSegmentId,
  type TranscriptDocument,
} from "../../contract/transcript-document.ts";
import { assignSpeakers } from "../../transcript/speaker-assignment.ts";

/** New and changed segments: those without a speaker get one, and are split where several people share one. */
export function nameSpeakers(
  { segments }: TranscriptDocument,
  turns: readonly SpeakerTurn[],
): DocumentSegment[] {
  let lastId = Math.max(firstEditedSegmentId - 1, ...segments.map(({ id }) => id));
  return segments
    .filter(({ speaker }) => speaker === undefined)
    .flatMap((segment) => {
      const { speaker: _, ...unnamed } = segment;
      return assignSpeakers([unnamed], turns).map((part, index) => ({
        ...part,
        id: index === 0 ? segment.id : (lastId += 1),
        speaker: speakerLetters(part.speaker),
      }));
    });
}
