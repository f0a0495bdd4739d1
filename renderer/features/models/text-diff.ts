// Word-by-word difference of two texts; case and punctuation are ignored. Pure.

import { diffWords } from "../../ui/diff-words.ts";

export type TextPart = {
  readonly text: string;
  /** Not in the other text. */
  readonly isUnique: boolean;
};
export type TextDiff = {
  readonly first: readonly TextPart[];
  readonly second: readonly TextPart[];
  /** Sum of the words on the longer side of each difference. */
  readonly differingWords: number;
};

const wordsOf = (text: string): string[] => text.trim().match(/\S+\s*/g) ?? [];
const keyOf = (word: string): string =>
  word.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}]/gu, "") || word.trim();

export function diffTexts(firstText: string, secondText: string): TextDiff {
  const [firstWords, secondWords] = [wordsOf(firstText), wordsOf(secondText)];
  const first: TextPart[] = [];
  const second: TextPart[] = [];
  let differingWords = 0;
  let removedCount = 0;
  let [i, j] = [0, 0];
  const changes = diffWords(firstWords.map(keyOf), secondWords.map(keyOf));
  for (const { added, removed, count } of changes) {
    if (!added) first.push({ text: firstWords.slice(i, (i += count)).join(""), isUnique: removed });
    if (!removed)
      second.push({ text: secondWords.slice(j, (j += count)).join(""), isUnique: added });
    // Added words that replace removed ones do not count again.
    if (removed) differingWords += count;
    else if (added) differingWords += Math.max(0, count - removedCount);
    removedCount = removed ? count : 0;
  }
  return { first, second, differingWords };
}
