// People whose voices the app knows, because somebody said so. Their voice prints are personal data: they stay in the
// library of this machine, and leave it only in files that a person asks for.

import { z } from "zod";

export const maxPersonNameLength = 100;
export const personName = z.string().trim().min(1).max(maxPersonNameLength);

const voiceSource = {
  /** The recording may be gone by now. */
  itemId: z.string(),
  title: z.string(),
  learntAtMs: z.number(),
  /** Seconds of speech that it was learnt from. */
  speechSec: z.number(),
};

export const person = z.object({
  id: z.string(),
  name: personName,
  createdAtMs: z.number(),
  /** Recordings that the voice was learnt from, the newest first. */
  recordings: z.array(z.object(voiceSource)),
});
export type Person = z.infer<typeof person>;

const voicePrint = z
  .array(z.number().min(-1).max(1))
  .max(4096)
  .refine((values) => values.some((value) => Math.fround(value) !== 0));

/**
 * What is stored about a person, prints included: their own file, and a part of archives that ask for it. Strict, since
 * archives may come from anywhere.
 */
export const storedPerson = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  name: personName,
  createdAtMs: z.int(),
  recordings: z
    .array(
      z.object({
        ...voiceSource,
        learntAtMs: z.int(),
        speechSec: z.number().min(0).max(1e9),
        print: voicePrint,
      }),
    )
    .max(1000),
});
export type StoredPerson = z.infer<typeof storedPerson>;

/** A speaker of a transcript: the name there, be it only a letter. */
const speakerOfItem = z.object({ speaker: z.string().min(1), name: personName });

/** The part of /app about people. Same form as api.ts, which includes it. */
export const peopleApi = {
  listPeople: {
    method: "GET",
    path: "/app/people",
    request: z.object({}),
    response: z.object({ people: z.array(person) }),
  },
  /**
   * Remembers the voice of a speaker of a transcript. A person of that name who is remembered already is known better
   * then. Does not change the transcript.
   */
  rememberVoice: {
    method: "POST",
    path: "/app/people",
    request: speakerOfItem.extend({ itemId: z.string() }),
    response: person,
  },
  /** 409 if another person has the name. */
  renamePerson: {
    method: "PATCH",
    path: "/app/people/:id",
    request: z.object({ name: personName }),
    response: person,
  },
  /** Also from the app's own copies of the library. */
  removePerson: {
    method: "DELETE",
    path: "/app/people/:id",
    request: z.object({}),
    response: z.object({ removed: z.boolean() }),
  },
  /**
   * Says who a speaker of a transcript is, in all of it: corrects a wrong name, or confirms a right one. If the person
   * is remembered, their voice is learnt from it, and what was learnt from it for another one is forgotten.
   * `formerName`: of a speaker who is renamed in the transcript already.
   */
  correctSpeaker: {
    method: "POST",
    path: "/app/items/:id/speaker",
    request: speakerOfItem.extend({ formerName: z.string().min(1).exactOptional() }),
    response: z.object({ revision: z.int(), isLearnt: z.boolean(), correctionId: z.string() }),
  },
  /**
   * Takes back what a correction has taught, and which names count as guesses. Does not change the transcript. Of
   * recent corrections only: `isReverted` is false for others.
   */
  revertCorrection: {
    method: "POST",
    path: "/app/items/:id/speaker/revert",
    request: z.object({ correctionId: z.string() }),
    response: z.object({ isReverted: z.boolean() }),
  },
} as const;
