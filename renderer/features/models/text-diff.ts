// Word-by-word difference of two texts; case and punctuation are ignored. Pure.

import { commonSubsequence } from "../../ui/common-subsequence.ts";

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

function partsOf(words: readonly string[], common: ReadonlySet<number>): TextPart[] {
  const parts: { text: string; isUnique: boolean }[] = [];
  for (const [at, text] of words.entries()) {
    const isUnique = !common.has(at);
    const last = parts.at(-1);
    if (last?.isUnique === isUnique) last.text += text;
    else parts.push({ text, isUnique });
  }
  return parts;
}

export function diffTexts(first: string, second: string): TextDiff {
  const [a, b] = [wordsOf(first), wordsOf(second)];
  const pairs = commonSubsequence(a.map(keyOf), b.map(keyOf));
  let differingWords = 0;
  let [i, j] = [0, 0];
  for (const [inFirst, inSecond] of [...pairs, [a.length, b.length] as const]) {
    differingWords += Math.max(inFirst - i, inSecond - j);
    [i, j] = [inFirst + 1, inSecond + 1];
  }
  return {
    first: partsOf(a, new Set(pairs.map(([at]) => at))),
    second: partsOf(b, new Set(pairs.map(([, at]) => at))),
    differingWords,
  };
}
