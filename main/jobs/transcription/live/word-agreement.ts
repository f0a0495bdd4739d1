// Which words of growing speech are settled: those that two passes in a row agree on (LocalAgreement-2 of Macháček et
// al., "Turning Whisper into Real-Time Transcription System", 2023). Settled words stay as they are, whatever later
// passes say, until the last pass over the whole utterance replaces the text.

import { isWrittenWithoutSpaces } from "../../../contract/languages.ts";

/** The concatenation is the text so far. */
export type LiveText = { readonly settled: string; readonly unsettled: string };

export type WordAgreement = {
  /**
   * Takes the text of the next pass.
   * @param isCut the audio may end inside of the last word, which is not shown then
   */
  update(text: string, isCut: boolean): LiveText;
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

/** How far a pass may have one word more or less than the settled ones. */
const maxShift = 2;
/** Number of words that must be equal for a shift. */
const anchorWords = 2;

export function createWordAgreement(): WordAgreement {
  const settled: Word[] = [];
  let previousRest: readonly Word[] = [];
  return {
    update(text, isCut) {
      const words = wordsOf(text);
      const rest = words.slice(restIndex(words, settled), isCut ? -1 : undefined);
      const agreedCount = commonLength(rest, previousRest);
      settled.push(...rest.slice(0, agreedCount));
      previousRest = rest.slice(agreedCount);
      return { settled: joinWords(settled).trimStart(), unsettled: joinWords(previousRest) };
    },
  };
}

/** Where the words after the settled ones start. A pass may have joined two of those, or split one. */
function restIndex(words: readonly Word[], settled: readonly Word[]): number {
  const anchor = settled.slice(-anchorWords).map(({ key }) => key);
  const matches = (end: number): boolean =>
    anchor.every((key, index) => words[end - anchor.length + index]?.key === key);
  for (let shift = 0; shift <= maxShift; shift += 1) {
    if (matches(settled.length + shift)) return settled.length + shift;
    if (matches(settled.length - shift)) return settled.length - shift;
  }
  return settled.length;
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
