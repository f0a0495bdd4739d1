// The last dictations, kept so that their text can be copied again.

import { z } from "zod";

export const maxDictations = 20;
/** Enough for a day of continuous dictation. */
export const maxDictationCharacters = 1_000_000;

export const dictation = z.object({
  id: z.uuid(),
  text: z.string().min(1).max(maxDictationCharacters),
  atMs: z.number(),
});
export type Dictation = z.infer<typeof dictation>;

/** The latest first. */
export const dictations = z.array(dictation).max(maxDictations);
