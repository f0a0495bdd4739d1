// What recent corrections of speakers replaced, so that they can be taken back. In memory only: nobody takes back what
// was done before the last start.

import { randomUUID } from "node:crypto";
import type { Documents } from "../../library/documents.ts";
import type { LearntVoice, People } from "../../library/people.ts";

export type SpeakerCorrections = {
  /** Call before the correction. @returns its id */
  add(itemId: string, personIds: readonly string[]): string;
  /** See `revertCorrection` of contract/people.ts. */
  revert(itemId: string, correctionId: string): boolean;
};

type Correction = {
  readonly itemId: string;
  /** What was known of people from the item before: id → voice. */
  readonly voices: ReadonlyMap<string, LearntVoice | undefined>;
  readonly recognized: Readonly<Record<string, number>>;
};

const maxCorrections = 50;

export function createSpeakerCorrections({
  documents,
  people,
}: {
  documents: Pick<Documents, "readHeader" | "setHeader">;
  people: People;
}): SpeakerCorrections {
  const recent = new Map<string, Correction>();
  return {
    add(itemId, personIds) {
      const { recognized = {} } = documents.readHeader(itemId);
      const voices = new Map(personIds.map((id) => [id, people.learntFrom(id, itemId)]));
      const correctionId = randomUUID();
      recent.set(correctionId, { itemId, voices, recognized });
      for (const [oldest] of recent) if (recent.size > maxCorrections) recent.delete(oldest);
      return correctionId;
    },
    revert(itemId, correctionId) {
      const correction = recent.get(correctionId);
      if (correction?.itemId !== itemId) return false;
      const { recognized: current } = documents.readHeader(itemId);
      recent.delete(correctionId);
      // Who was forgotten meanwhile stays forgotten.
      const forgotten = people.beingForgotten();
      for (const { id, name } of people.list()) {
        if (!correction.voices.has(id) || forgotten.includes(id)) continue;
        const voice = correction.voices.get(id);
        if (voice === undefined) people.forgetRecording(id, itemId);
        else people.remember(name, voice);
      }
      documents.setHeader(itemId, { recognized: { ...correction.recognized, ...current } });
      return true;
    },
  };
}
