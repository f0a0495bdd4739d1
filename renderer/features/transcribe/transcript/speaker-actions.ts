// Actions on the speakers of an open transcript; each change is one undo step.

import type { SpeakerCount } from "../../../../main/contract/speakers.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { t } from "../../../messages/messages.ts";
import { call } from "../../../api/client.ts";
import { messageOf } from "../../../api/error.ts";
import { findPerson, loadPeople } from "../../../stores/people.ts";
import { playRange } from "../../../stores/player.ts";
import { toast } from "../../../stores/toasts.ts";
import { isSaveFailed } from "../../../stores/autosave.ts";
import { isEmptyPatch } from "../document/segments.ts";
import { speakerSample } from "../document/speaker-times.ts";
import { applyFoundSpeakers, splitSpeaker, unusedSpeakerName } from "../document/speaker-edits.ts";
import { listSpeakers, renameSpeaker } from "../document/speakers.ts";
import type { OpenTranscript } from "./open-transcripts.ts";

export type SpeakerActions = {
  /** Plays where the speaker is heard best. */
  playSpeakerSample(name: string): void;
  /** In the whole transcript; a name that another speaker has merges both. */
  renameSpeaker(name: string, newName: string): void;
  /**
   * Tells apart who speaks in the audio; the text stays. What is edited meanwhile is kept.
   * @throws ApiError @returns whether anything changed
   */
  findSpeakers(count: SpeakerCount, signal: AbortSignal): Promise<boolean>;
  /** Everything that one says is said by the other. */
  mergeSpeakers(name: string, into: string): void;
  /** Somebody else speaks from there on: gives the rest of what that speaker says to a new one. */
  splitSpeaker(id: number, offset: number): void;
  /** Remembers the voice of a named speaker for later transcripts. @throws ApiError */
  rememberVoice(name: string): Promise<void>;
  /** The app recognized the speaker, and was right. */
  confirmSpeaker(name: string): void;
};

function showFailure(error: unknown): void {
  toast({ tone: "bad", text: () => messageOf(error) });
}

/**
 * What a rename teaches the app, and takes back when it is undone, one after the other.
 * @param correct teaches; @returns the id of the correction, if there was one
 */
function createTeaching(itemId: string, correct: () => Promise<string | undefined>) {
  let correction = Promise.resolve<string | undefined>(undefined);
  async function afterwards(
    before: typeof correction,
    next: (id: string | undefined) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    try {
      return await next(await before);
    } catch (error) {
      showFailure(error);
      return undefined;
    }
  }
  return {
    teach(): void {
      correction = afterwards(correction, correct);
    },
    unteach(): void {
      correction = afterwards(correction, async (correctionId) => {
        if (correctionId !== undefined) await call("revertCorrection", { correctionId }, itemId);
        return undefined;
      });
    },
  };
}

export function createSpeakerActions(
  { itemId, store }: OpenTranscript,
  loadInPlayer: () => void,
): SpeakerActions {
  const segments = (): readonly DocumentSegment[] => store.getState().segments;
  /** The app knows the name of what is saved. A person whose voice is remembered is known better from then on. */
  async function confirm(name: string, formerName = name): Promise<string> {
    await store.save();
    const correction = { speaker: name, name, formerName };
    return (await call("correctSpeaker", correction, itemId)).correctionId;
  }
  /** Shown at once: confirming changes no text. */
  function showAsConfirmed(name: string): void {
    store.setState(({ document }) => {
      if (document === undefined) return {};
      const { [name]: _, ...recognized } = document.recognized ?? {};
      return { document: { ...document, recognized } };
    });
  }
  /**
   * The voice is learnt for whom it belongs to, and forgotten for whom it was taken for, if they are remembered.
   * @returns the correction, if there was one
   */
  async function correctRemembered(name: string, formerName: string): Promise<string | undefined> {
    const people = await loadPeople();
    const isRemembered = [name, formerName].some((each) => findPerson(people, each) !== undefined);
    // It may be undone already.
    const isNamed = segments().some(({ speaker }) => speaker === name);
    return isRemembered && isNamed ? confirm(name, formerName) : undefined;
  }
  return {
    playSpeakerSample(name) {
      const sample = speakerSample(segments(), name);
      if (sample === undefined) return;
      loadInPlayer();
      playRange({ fromSec: sample.startSec, toSec: sample.endSec });
    },
    renameSpeaker(name, newName) {
      const { teach, unteach } = createTeaching(itemId, () => correctRemembered(newName, name));
      store.edit(t("transcribe.undo.speaker-rename"), renameSpeaker(segments(), name, newName), {
        onUndo: unteach,
        onRedo: teach,
      });
      teach();
    },
    async findSpeakers(count, signal) {
      await store.save();
      const { saving, message } = store.getState();
      // The app would tell apart who says another text.
      if (isSaveFailed(saving)) throw new Error(message);
      const before = segments();
      const found = await call("findSpeakers", { count }, itemId, signal);
      const patch = applyFoundSpeakers(segments(), before, found.segments);
      store.edit(t("transcribe.undo.speakers"), patch);
      store.setState(({ document }) =>
        document === undefined
          ? {}
          : {
              document: {
                ...document,
                recognized: { ...document.recognized, ...found.recognized },
              },
            },
      );
      return !isEmptyPatch(patch);
    },
    mergeSpeakers: (name, into) =>
      store.edit(t("transcribe.undo.speaker-merge"), renameSpeaker(segments(), name, into)),
    splitSpeaker(id, offset) {
      const name = unusedSpeakerName(listSpeakers(segments()).map((speaker) => speaker.name));
      store.edit(
        t("transcribe.undo.speaker-split"),
        splitSpeaker(segments(), { id, offset }, name),
      );
    },
    async rememberVoice(name) {
      await store.save();
      await call("rememberVoice", { itemId, speaker: name, name });
      await loadPeople();
      toast({ tone: "good", text: () => t("transcribe.speaker.remembered", { name }) });
    },
    confirmSpeaker(name) {
      showAsConfirmed(name);
      void confirm(name).catch(showFailure);
    },
  };
}
