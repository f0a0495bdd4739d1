// Finding in a transcript: places of a text, as typed or as whole words only. Replacing them is edits.ts's work.

import type { DocumentSegment } from "../../../../main/contract/studio.ts";

/** A place in a segment's text, in UTF-16 units. */
export type Match = { readonly segmentId: number; readonly start: number; readonly end: number };

export type FindOptions = { readonly isCaseSensitive: boolean; readonly isWholeWords: boolean };

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Runs of spaces in the query match any; a word ends where neither letter, mark nor digit goes on. */
function toRegExp(query: string, { isCaseSensitive, isWholeWords }: FindOptions): RegExp {
  const text = query.trim().split(/\s+/).map(escapeRegExp).join("\\s+");
  const letter = "[\\p{L}\\p{M}\\p{N}]";
  return new RegExp(
    isWholeWords ? `(?<!${letter})${text}(?!${letter})` : text,
    isCaseSensitive ? "gv" : "giv",
  );
}

/** In time order. Nothing for an empty query. */
export function findMatches(
  segments: readonly DocumentSegment[],
  query: string,
  options: FindOptions,
): readonly Match[] {
  if (query.trim() === "") return [];
  const regExp = toRegExp(query, options);
  return segments.flatMap((segment) =>
    Array.from(segment.text.matchAll(regExp), (match) => ({
      segmentId: segment.id,
      start: match.index,
      end: match.index + match[0].length,
    })),
  );
}

/** What takes the place of `match`, where `query` is to become `by`: a capital it has and `query` has not stays one. */
export function matchCapitalization(match: string, query: string, replacement: string): string {
  const [first = ""] = match;
  const isCapital =
    first !== first.toLowerCase() && match.slice(1) === match.slice(1).toLowerCase();
  return isCapital && !query.startsWith(first)
    ? replacement.charAt(0).toUpperCase() + replacement.slice(1)
    : replacement;
}
