// Which words of growing speech are shown, and which are settled: those that two passes in a row agree on, and three
// (after LocalAgreement of Macháček et al., "Turning Whisper into Real-Time Transcription System", 2023). Settled
// words stay as they are, whatever later passes say, until the last pass over the whole utterance replaces the text.

import { isWrittenWithoutSpaces } from "../../../contract/languages.ts";

/** The concatenation is the text so far. */
export type LiveText = { readonly settled: string; readonly unsettled: string };

export type WordAgreement = {
  /** Takes the text of the next pass. */
  update(text: string): LiveText;
  /** Takes the text of the pass after the last word, all of which is settled. */
  finish(text: string): LiveText;
};

/** `key` is compared, `text` is shown, with the space before it. */
type Word = { readonly key: string; readonly text: string };

const spacedWord = /\s*\S+/gu;
const character = /\s*[\p{L}\p{N}]\p{M}*[^\p{L}\p{N}]*/gu;

const wordsOf = (text: string): Word[] =>
  (text.trim().match(isWrittenWithoutSpaces(text) ? character : spacedWord) ?? []).map((word) => ({
    key: word.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ""),
    text: word,
  }));

const joinWords = (words: readonly Word[]): string => words.map(({ text }) => text).join("");

/** As many passes in a row settle the words that they agree on. Two are enough to show them. */
const settlingPasses = 3;

export function createWordAgreement(): WordAgreement {
  const settled: Word[] = [];
  /** What the latest passes heard after the settled words, the latest first. */
  let rests: readonly (readonly Word[])[] = [];
  /** The words after the settled ones that are shown. */
  let shown: readonly Word[] = [];
  const liveText = (): LiveText => ({
    settled: joinWords(settled).trimStart(),
    unsettled: joinWords(shown),
  });
  return {
    update(text) {
      const words = withoutLoop(wordsOf(text));
      const rest = words.slice(restIndex(words, settled));
      rests = [rest, ...rests].slice(0, settlingPasses);
      const agreed = rest.slice(0, commonLength(rest, rests[1] ?? []));
      // What is shown stays until two passes agree on something else.
      const isPartOfShown = commonLength(agreed, shown) === agreed.length;
      shown = isPartOfShown ? [...agreed, ...shown.slice(agreed.length)] : agreed;
      const settledCount =
        rests.length < settlingPasses
          ? 0
          : Math.min(...rests.map((other) => commonLength(rest, other)));
      settled.push(...rest.slice(0, settledCount));
      rests = rests.map((other) => other.slice(settledCount));
      shown = shown.slice(settledCount);
      return liveText();
    },
    finish(text) {
      const words = wordsOf(text);
      settled.push(...words.slice(restIndex(words, settled)));
      rests = [];
      shown = [];
      return liveText();
    },
  };
}

/** Words of a phrase that models repeat where the audio is cut. */
const maxLoopWords = 8;

/** The words without those at the end that repeat the ones before. */
function withoutLoop(words: readonly Word[]): readonly Word[] {
  let kept = words.length;
  for (let period = 1; period <= Math.min(maxLoopWords, words.length / 2); period += 1) {
    let from = words.length;
    while (from > period && words[from - 1]?.key === words[from - 1 - period]?.key) from -= 1;
    if (words.length - from >= period) kept = Math.min(kept, from);
  }
  return words.slice(0, kept);
}

/**
 * Where the words after the settled ones start: after those first words that are most like them (the fewest edits),
 * since a pass may join or split words, or hear others. In doubt, after as many words as are settled.
 */
function restIndex(words: readonly Word[], settled: readonly Word[]): number {
  let row = Array.from({ length: words.length + 1 }, (_, count) => count);
  for (const { key } of settled) {
    const next = [(row[0] ?? 0) + 1];
    for (const [index, word] of words.entries())
      next.push(
        Math.min(
          (row[index] ?? 0) + (word.key === key ? 0 : 1),
          (row[index + 1] ?? 0) + 1,
          (next[index] ?? 0) + 1,
        ),
      );
    row = next;
  }
  const fewest = Math.min(...row);
  const candidates = [...row.keys()].filter((count) => row[count] === fewest);
  const distance = (count: number): number => Math.abs(count - settled.length);
  return candidates.reduce((best, count) => (distance(count) < distance(best) ? count : best));
}

function commonLength(words: readonly Word[], others: readonly Word[]): number {
  const first = words.findIndex(({ key }, index) => key !== others[index]?.key);
  return first < 0 ? words.length : first;
}

/** What follows text that was already passed on, word by word, since a later pass may have changed its words. */
export const textAfter = (text: string, shown: string): string => {
  const words = wordsOf(text);
  const shownWords = wordsOf(shown);
  const rest = joinWords(words.slice(restIndex(words, shownWords)));
  return shownWords.length === 0 ? rest.trimStart() : rest;
};
