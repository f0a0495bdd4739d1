// Word-by-word difference of two texts, character by character in scripts without spaces; case and punctuation are
// ignored. Pure.

import { isWrittenWithoutSpaces } from "../../../main/contract/languages.ts";
import { diffWords } from "../../ui/diff-words.ts";

export type TextPart = {
  readonly text: string;
  /** Not in the other text. */
  readonly isUnique: boolean;
};
export type TextDiff = {
  readonly first: readonly TextPart[];
  readonly second: readonly TextPart[];
  readonly unit: "words" | "characters";
  /** Sum of the units on the longer side of each difference. */
  readonly differing: number;
};

const wordPattern = /\S+\s*/g;
const characterPattern = /[\p{L}\p{N}]\p{M}*[^\p{L}\p{N}]*|[^\p{L}\p{N}]+/gu;

const keyOf = (word: string): string =>
  word.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}]/gu, "") || word.trim();

export function diffTexts(firstText: string, secondText: string): TextDiff {
  const unit = isWrittenWithoutSpaces(firstText + secondText) ? "characters" : "words";
  const pattern = unit === "words" ? wordPattern : characterPattern;
  const split = (text: string): string[] => text.trim().match(pattern) ?? [];
  const [firstWords, secondWords] = [split(firstText), split(secondText)];
  const first: TextPart[] = [];
  const second: TextPart[] = [];
  let differing = 0;
  let removedCount = 0;
  let [i, j] = [0, 0];
  const changes = diffWords(firstWords.map(keyOf), secondWords.map(keyOf));
  for (const { added, removed, count } of changes) {
    if (!added) first.push({ text: firstWords.slice(i, (i += count)).join(""), isUnique: removed });
    if (!removed)
      second.push({ text: secondWords.slice(j, (j += count)).join(""), isUnique: added });
    // Added words that replace removed ones do not count again.
    if (removed) differing += count;
    else if (added) differing += Math.max(0, count - removedCount);
    removedCount = removed ? count : 0;
  }
  return { first, second, unit, differing };
}
