// Word times of a segment after part of its text was replaced: words before and after keep their times, new words share
// the time of the replaced ones.

import type { DocumentSegment } from "../../contract/transcript-document.ts";

type Word = DocumentSegment["words"][number];

/**
 * @param start offset of the replaced range in the segment's text, in UTF-16 units, as is `end`
 * @returns the segment with its new text; without words if the old words do not match the old text
 */
export function replaceTextRange(
  segment: DocumentSegment,
  start: number,
  end: number,
  replaceBy: string,
): DocumentSegment {
  const { text, words } = segment;
  const updated = {
    ...segment,
    text: text.slice(0, start) + replaceBy + text.slice(end),
    isEdited: true,
  };
  const wordPositions = locateWords(words, text);
  if (wordPositions === undefined) return { ...updated, words: [] };
  // A word that touches the range is part of the replaced text, unless a space separates them.
  const wordsBefore = wordPositions.filter(
    (position) =>
      position.end < start ||
      (position.end === start && isAtWordBoundary(text, start, replaceBy.at(0))),
  );
  const wordsAfter = wordPositions.filter(
    (position) =>
      position.start > end ||
      (position.start === end && isAtWordBoundary(text, end, replaceBy.at(-1))),
  );
  const [lastBefore] = wordsBefore.slice(-1);
  const [firstAfter] = wordsAfter;
  const replacedText =
    text.slice(lastBefore?.end ?? 0, start) +
    replaceBy +
    text.slice(end, firstAfter?.start ?? text.length);
  const replacedWords = words.slice(wordsBefore.length, words.length - wordsAfter.length);
  const fromSec = replacedWords.at(0)?.startSec ?? lastBefore?.word.endSec ?? segment.startSec;
  const toSec = replacedWords.at(-1)?.endSec ?? firstAfter?.word.startSec ?? segment.endSec;
  return {
    ...updated,
    words: [
      ...wordsBefore.map(({ word }) => word),
      ...distributeTime(replacedText, fromSec, Math.max(fromSec, toSec)),
      ...wordsAfter.map(({ word }) => word),
    ],
  };
}

/** Positions of the words in the text; undefined if they do not match it. */
function locateWords(
  words: readonly Word[],
  text: string,
): { word: Word; start: number; end: number }[] | undefined {
  if (words.length === 0) return undefined;
  let searchFrom = 0;
  const wordPositions = words.map((word) => {
    const start = text.indexOf(word.word, searchFrom);
    const end = start < 0 ? Infinity : start + word.word.length;
    searchFrom = end;
    return { word, start, end };
  });
  return searchFrom === Infinity ? undefined : wordPositions;
}

/** True if a space separates the inserted text from the neighboring word. */
function isAtWordBoundary(
  text: string,
  at: number,
  insertedCharacter: string | undefined,
): boolean {
  return [text[at - 1], text[at], insertedCharacter].some(
    (character) => character !== undefined && /\s/.test(character),
  );
}

/** Distributes the time by number of letters. Probability is 1, since the user wrote the words. */
function distributeTime(text: string, fromSec: number, toSec: number): Word[] {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  const letters = parts.reduce((sum, part) => sum + part.length, 0);
  let doneLetters = 0;
  const timeAtLetter = (): number => fromSec + ((toSec - fromSec) * doneLetters) / letters;
  return parts.map((part) => {
    const startSec = timeAtLetter();
    doneLetters += part.length;
    return { word: part, startSec, endSec: timeAtLetter(), probability: 1 };
  });
}
