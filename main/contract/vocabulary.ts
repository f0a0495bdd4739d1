// The vocabulary: names and terms, with how they are written, misheard and pronounced. One list for recognition and
// for all narrations.

import { z } from "zod";

const maxVocabularyEntries = 5000;
export const maxWordCharacters = 60;
export const maxSaysCharacters = 200;

export const vocabularyEntry = z.object({
  /** As it is written. */
  word: z.string().trim().min(1).max(maxWordCharacters),
  /** A respelling, or phonemes between slashes; empty: narrations read it as it is written. */
  says: z.string().max(maxSaysCharacters).default(""),
  /** What recognition writes instead, which is always replaced; empty: only what is no word and sounds like it. */
  heard: z.string().trim().max(maxWordCharacters).default(""),
});
export type VocabularyEntry = z.infer<typeof vocabularyEntry>;

export const vocabulary = z.object({
  entries: z.array(vocabularyEntry).max(maxVocabularyEntries),
});

/** What recognition needs of an entry. */
export type VocabularyTerm = Pick<VocabularyEntry, "word" | "heard">;

/** At most 224 tokens of a prompt count with OpenAI's Whisper, and names take one for about three letters. */
const maxTermCharacters = 600;

/** A prompt with the terms. The caller's own comes last: what is too long is cut at the beginning. */
export function joinPrompt(
  prompt: string | undefined,
  terms: readonly VocabularyTerm[] = [],
): string | undefined {
  const listed = listTerms(terms, (list) => list.length <= maxTermCharacters);
  if (listed === "") return prompt;
  return prompt === undefined ? listed : `${listed} ${prompt}`;
}

/** As many of the first terms, which were entered last, as there is room for, as a sentence; empty if there is none. */
export function listTerms(
  terms: readonly VocabularyTerm[],
  hasRoom: (list: string) => boolean,
): string {
  let list = "";
  for (const { word } of terms) {
    const longer = list === "" ? word : `${list}, ${word}`;
    if (!hasRoom(`${longer}.`)) break;
    list = longer;
  }
  return list === "" ? "" : `${list}.`;
}
