// Finds text in a transcript, as typed or as whole words. See edits.ts for replacing.

import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";

/** A range in a segment's text, in UTF-16 units. */
export type Match = { readonly segmentId: number; readonly start: number; readonly end: number };

export type FindOptions = { readonly isCaseSensitive: boolean; readonly isWholeWords: boolean };

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** White space in the query matches any white space. A whole word is not adjacent to a letter, mark or digit. */
function toRegExp(query: string, { isCaseSensitive, isWholeWords }: FindOptions): RegExp {
  const text = query.trim().split(/\s+/).map(escapeRegExp).join("\\s+");
  const letter = "[\\p{L}\\p{M}\\p{N}]";
  return new RegExp(
    isWholeWords ? `(?<!${letter})${text}(?!${letter})` : text,
    isCaseSensitive ? "gv" : "giv",
  );
}

/** In time order; empty for an empty query. */
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

/** The replacement for `match`, capitalized if the match is and `query` is not. */
export function matchCapitalization(match: string, query: string, replacement: string): string {
  const [first = ""] = match;
  const isCapital =
    first !== first.toLowerCase() && match.slice(1) === match.slice(1).toLowerCase();
  return isCapital && !query.startsWith(first)
    ? replacement.charAt(0).toUpperCase() + replacement.slice(1)
    : replacement;
}
