// The words of a segment after one place of its text was replaced: those before and behind stay as they were heard,
// new ones share the time of those they stand for.

import type { DocumentSegment } from "../../contract/studio.ts";

type Word = DocumentSegment["words"][number];

/**
 * @param start of what was replaced in the segment's text, in UTF-16 units, as `end`
 * @returns the segment with its new text; without words where those it had are not those of its text
 */
export function reworded(
  segment: DocumentSegment,
  start: number,
  end: number,
  replaceBy: string,
): DocumentSegment {
  const { text, words } = segment;
  const changed = {
    ...segment,
    text: text.slice(0, start) + replaceBy + text.slice(end),
    isEdited: true,
  };
  const places = placesOf(words, text);
  if (places === undefined) return { ...changed, words: [] };
  // What touches the replaced place is a part of the same word; a whole word that was replaced touches nothing else.
  const before = places.filter(
    (place) => place.end < start || (place.end === start && isApart(text, start, replaceBy.at(0))),
  );
  const behind = places.filter(
    (place) => place.start > end || (place.start === end && isApart(text, end, replaceBy.at(-1))),
  );
  const [last] = before.slice(-1);
  const [next] = behind;
  const standing =
    text.slice(last?.end ?? 0, start) + replaceBy + text.slice(end, next?.start ?? text.length);
  const gone = words.slice(before.length, words.length - behind.length);
  const fromSec = gone.at(0)?.startSec ?? last?.word.endSec ?? segment.startSec;
  const toSec = gone.at(-1)?.endSec ?? next?.word.startSec ?? segment.endSec;
  return {
    ...changed,
    words: [
      ...before.map(({ word }) => word),
      ...shared(standing, fromSec, Math.max(fromSec, toSec)),
      ...behind.map(({ word }) => word),
    ],
  };
}

/** Where each word stands in the text; undefined where they are not its words. */
function placesOf(
  words: readonly Word[],
  text: string,
): { word: Word; start: number; end: number }[] | undefined {
  if (words.length === 0) return undefined;
  let from = 0;
  const places = words.map((word) => {
    const start = text.indexOf(word.word, from);
    const end = start < 0 ? Infinity : start + word.word.length;
    from = end;
    return { word, start, end };
  });
  return from === Infinity ? undefined : places;
}

/** Is there a space on one side of the border, so that what is put there is no part of the word before or behind? */
function isApart(text: string, at: number, put: string | undefined): boolean {
  return [text[at - 1], text[at], put].some((sign) => sign !== undefined && /\s/.test(sign));
}

/** By the length of their letters. A person wrote them: they are sure. */
function shared(text: string, fromSec: number, toSec: number): Word[] {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  const letters = parts.reduce((sum, part) => sum + part.length, 0);
  let done = 0;
  const at = (): number => fromSec + ((toSec - fromSec) * done) / letters;
  return parts.map((part) => {
    const startSec = at();
    done += part.length;
    return { word: part, startSec, endSec: at(), probability: 1 };
  });
}
