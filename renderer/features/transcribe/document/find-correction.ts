// What a person corrected in a text: the words that were heard, and what they are. Pure.

import { diffWords } from "../../../ui/diff-words.ts";

export type WordCorrection = { readonly word: string; readonly heard: string };

/** More words are no name or term. */
const maxWords = 4;

/** Undefined unless words were replaced in exactly one place. */
export function findCorrection(before: string, after: string): WordCorrection | undefined {
  const [old, current] = [before, after].map((text) => text.split(/\s+/).filter(Boolean)) as [
    string[],
    string[],
  ];
  const changes = diffWords(old, current);
  const isChanged = changes.map(({ added, removed }) => added || removed);
  const first = isChanged.indexOf(true);
  const [removed, added] = changes.slice(first, first + 2);
  if (first < 0 || removed?.removed !== true || added?.added !== true) return undefined;
  if (isChanged.lastIndexOf(true) > first + 1) return undefined;
  if (removed.count > maxWords || added.count > maxWords) return undefined;
  const start = changes.slice(0, first).reduce((sum, { count }) => sum + count, 0);
  const heard = trimPunctuation(old.slice(start, start + removed.count));
  const word = trimPunctuation(current.slice(start, start + added.count));
  return word === "" || heard === "" || word === heard ? undefined : { word, heard };
}

const trimPunctuation = (words: readonly string[]): string =>
  words
    .join(" ")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}+#]+$/gu, "")
    .replace(/['’]s$/, "");
