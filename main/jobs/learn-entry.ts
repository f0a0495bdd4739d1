// Adds to the vocabulary what a person corrected in a transcript.

import type { VocabularyEntry, VocabularyTerm } from "../contract/vocabulary.ts";
import { nearness, soundOf } from "../text/vocabulary/near-sound.ts";

export type LearnDeps = {
  /** Of these English words, those in no dictionary. */
  unknownWords(words: readonly string[], signal: AbortSignal): Promise<string[]>;
};

/** @returns the whole list with the entry, which keeps its pronunciation if the word was there already */
export async function learnEntry(
  deps: LearnDeps,
  list: () => readonly VocabularyEntry[],
  { word, heard }: VocabularyTerm,
  signal: AbortSignal,
): Promise<VocabularyEntry[]> {
  const isSafe = await isAlwaysWrong(deps, { word, heard }, signal);
  const entries = list();
  const existing = entries.find((entry) => entry.word.toLowerCase() === word.toLowerCase());
  return [
    { says: "", ...existing, word, heard: isSafe ? heard : (existing?.heard ?? "") },
    ...entries.filter((entry) => entry !== existing),
  ];
}

/** Words of the dictionary may be meant the next time, except several that sound like the one: "pie torch". */
async function isAlwaysWrong(
  { unknownWords }: LearnDeps,
  { word, heard }: VocabularyTerm,
  signal: AbortSignal,
): Promise<boolean> {
  if (heard === "" || heard.toLowerCase() === word.toLowerCase()) return false;
  const words = heard.split(/\s+/);
  if (words.length > 1 && nearness(soundOf(heard), soundOf(word), false) !== undefined) return true;
  return (await unknownWords(words, signal)).length > 0;
}
