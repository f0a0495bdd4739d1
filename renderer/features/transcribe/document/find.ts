// Finding in a transcript: places of a text, as typed or as whole words only. Replacing them is edits.ts's work.

import type { DocumentSegment } from "../../../../main/contract/studio.ts";

/** A place in a segment's text, in UTF-16 units. */
export type Match = { readonly segmentId: number; readonly start: number; readonly end: number };

export type FindOptions = { readonly isCaseSensitive: boolean; readonly isWholeWords: boolean };

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Runs of spaces in the query match any; a word ends where neither letter, mark nor digit goes on. */
function pattern(query: string, { isCaseSensitive, isWholeWords }: FindOptions): RegExp {
  const text = query.trim().split(/\s+/).map(escaped).join("\\s+");
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
  const wanted = pattern(query, options);
  return segments.flatMap((segment) =>
    Array.from(segment.text.matchAll(wanted), (found) => ({
      segmentId: segment.id,
      start: found.index,
      end: found.index + found[0].length,
    })),
  );
}

/** What takes the place of `found`, where `asked` is to become `by`: a capital it has and `asked` has not stays one. */
export function likeWritten(found: string, asked: string, by: string): string {
  const [first = ""] = found;
  const isCapital =
    first !== first.toLowerCase() && found.slice(1) === found.slice(1).toLowerCase();
  return isCapital && !asked.startsWith(first) ? by.charAt(0).toUpperCase() + by.slice(1) : by;
}
