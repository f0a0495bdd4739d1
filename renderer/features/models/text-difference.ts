// How two texts differ, word by word; capitals and punctuation do not count. Pure.

import { commonPairs } from "../../ui/common-words.ts";

export type TextPart = {
  readonly text: string;
  /** Not in the other text. */ readonly isOwn: boolean;
};
export type TextDifference = {
  readonly first: readonly TextPart[];
  readonly second: readonly TextPart[];
  /** Words of the longer side of each difference, added up. */ readonly words: number;
};

const wordsOf = (text: string): string[] => text.trim().match(/\S+\s*/g) ?? [];
const keyOf = (word: string): string =>
  word.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}]/gu, "") || word.trim();

function partsOf(words: readonly string[], common: ReadonlySet<number>): TextPart[] {
  const parts: { text: string; isOwn: boolean }[] = [];
  for (const [at, text] of words.entries()) {
    const isOwn = !common.has(at);
    const last = parts.at(-1);
    if (last?.isOwn === isOwn) last.text += text;
    else parts.push({ text, isOwn });
  }
  return parts;
}

export function textDifference(first: string, second: string): TextDifference {
  const [a, b] = [wordsOf(first), wordsOf(second)];
  const pairs = commonPairs(a.map(keyOf), b.map(keyOf));
  let words = 0;
  let [i, j] = [0, 0];
  for (const [inFirst, inSecond] of [...pairs, [a.length, b.length] as const]) {
    words += Math.max(inFirst - i, inSecond - j);
    [i, j] = [inFirst + 1, inSecond + 1];
  }
  return {
    first: partsOf(a, new Set(pairs.map(([at]) => at))),
    second: partsOf(b, new Set(pairs.map(([, at]) => at))),
    words,
  };
}
