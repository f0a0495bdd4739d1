// The words of a segment after one place of its text was replaced: those before and behind stay as they were heard,
// new ones share the time of those they stand for.

import type { DocumentSegment } from "../../contract/studio.ts";

type Word = DocumentSegment["words"][number];

/**
 * @param start of what was replaced in the segment's text, in UTF-16 units, as `end`
 * @returns the segment with its new text; without words where those it had are not those of its text
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
  // What touches the replaced place is a part of the same word; a whole word that was replaced touches nothing else.
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

/** Where each word stands in the text; undefined where they are not its words. */
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

/** Is there a space on one side of the border, so that what is put there is no part of the word before or behind? */
function isAtWordBoundary(
  text: string,
  at: number,
  insertedCharacter: string | undefined,
): boolean {
  return [text[at - 1], text[at], insertedCharacter].some(
    (character) => character !== undefined && /\s/.test(character),
  );
}

/** By the length of their letters. A person wrote them: they are sure. */
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
