// Voices of people, remembered where somebody asks for it, and corrected. Only those of remembered people are learnt.

import { AppError } from "../../contract/errors.ts";
import type { Person } from "../../contract/people.ts";
import type { DocumentSegment } from "../../contract/transcript-document.ts";
import type { Documents } from "../../library/documents.ts";
import type { Items } from "../../library/items.ts";
import type { LearntVoice, People } from "../../library/people.ts";
import type { Media } from "./media.ts";
import { createSpeakerCorrections } from "./speaker-corrections.ts";
import { findSpeakerVoice, type SpeakerVoiceDeps } from "./speaker-voice.ts";

export type RememberedVoicesDeps = SpeakerVoiceDeps & {
  items: Items;
  documents: Documents;
  people: People;
  media: Pick<Media, "source">;
};

export type RememberedVoices = {
  /** See `rememberVoice` of contract/people.ts. @throws AppError `not_found`, or if the speaker says too little */
  remember(
    fields: { itemId: string; speaker: string; name: string },
    signal: AbortSignal,
  ): Promise<Person>;
  /** See `correctSpeaker` of contract/people.ts. */
  correct(
    fields: { itemId: string; speaker: string; name: string; formerName?: string },
    signal: AbortSignal,
  ): Promise<{ revision: number; isLearnt: boolean; correctionId: string }>;
  /** See `revertCorrection` of contract/people.ts. */
  revert(itemId: string, correctionId: string): boolean;
};

export function createRememberedVoices(deps: RememberedVoicesDeps): RememberedVoices {
  const { items, documents, people, media } = deps;
  const corrections = createSpeakerCorrections(deps);

  /** What speakers of a transcript say. @throws AppError if the first of them says nothing there */
  function segmentsOf(itemId: string, speaker: string, other = speaker): DocumentSegment[] {
    const { segments } = documents.read(itemId);
    if (!segments.some((segment) => segment.speaker === speaker))
      throw new AppError("person.notInTranscript", { speaker }, { param: "speaker" });
    return segments.filter((segment) => segment.speaker === speaker || segment.speaker === other);
  }

  async function learnVoice(
    itemId: string,
    segments: readonly DocumentSegment[],
    speaker: string,
    signal: AbortSignal,
  ): Promise<LearntVoice> {
    const { title } = items.read(itemId);
    const voice = await findSpeakerVoice(
      deps,
      await media.source(itemId),
      segments,
      speaker,
      signal,
    );
    return { itemId, title, ...voice };
  }

  return {
    async remember({ itemId, speaker, name }, signal) {
      items.read(itemId);
      return people.remember(
        name,
        await learnVoice(itemId, segmentsOf(itemId, speaker), speaker, signal),
      );
    },
    async correct({ itemId, speaker, name: typedName, formerName = speaker }, signal) {
      items.read(itemId);
      const remembered = people.find(typedName);
      const name = remembered?.name ?? typedName;
      const segments = segmentsOf(itemId, speaker, name);
      const voice =
        remembered === undefined
          ? undefined
          : await learnVoice(itemId, segments, speaker, signal).catch(ignoreUnusableAudio);
      const mistaken = formerName === name ? undefined : people.find(formerName);
      const known = [remembered, mistaken].flatMap((person) => (person ? [person.id] : []));
      const correctionId = corrections.add(itemId, known);
      if (mistaken !== undefined) people.forgetRecording(mistaken.id, itemId);
      const revision = setSpeaker(documents, itemId, speaker, name);
      // Who was forgotten meanwhile stays forgotten.
      const isLearnt =
        voice !== undefined &&
        remembered !== undefined &&
        people.find(name)?.id === remembered.id &&
        !people.beingForgotten().includes(remembered.id);
      if (isLearnt) people.remember(name, voice);
      return { revision, isLearnt, correctionId };
    },
    revert: corrections.revert,
  };
}

/** Too little speech, or no audio any more: the speaker is named all the same. */
function ignoreUnusableAudio(error: unknown): undefined {
  if (!(error instanceof AppError) || error.row.status >= 500) throw error;
}

/**
 * In the whole transcript. Neither name counts as a guess any more, which alone is no new revision: it would conflict
 * with edits that are not saved yet.
 * @returns the revision
 */
function setSpeaker(documents: Documents, itemId: string, speaker: string, name: string): number {
  const { segments, revision, recognized = {} } = documents.read(itemId);
  const { [speaker]: _, [name]: __, ...others } = recognized;
  documents.setHeader(itemId, { recognized: others });
  const put = segments
    .filter((segment) => segment.speaker === speaker && speaker !== name)
    .map((segment) => ({ ...segment, speaker: name }));
  return put.length === 0 ? revision : documents.apply(itemId, { revision, put, remove: [] });
}
