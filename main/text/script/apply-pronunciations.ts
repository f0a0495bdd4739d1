// A person's own pronunciations put into a text: a respelling stands in place of the word, phonemes go beside it in
// the form english/given.ts reads. Pure.

import type { Pronunciation } from "../../contract/studio.ts";

/** `[word](/phonemes/)` as english/given.ts knows it; its closing slash may be missing there, not here. */
export const inlinePhonemeLink = /\[([^[\]\n]{1,100})\]\(\/([^()\n]{0,200}?)\/\)/g;

/** Whole words alone are changed, in any case of letters; what carries phonemes already stays as it is. */
export function createPronouncer(entries: readonly Pronunciation[]): (text: string) => string {
  const says = new Map(
    entries.map(({ word, says: spoken }) => [normalizeKey(word), spoken.trim()]),
  );
  says.delete("");
  if (says.size === 0) return (text) => text;
  // "New York City" goes before "New York".
  const words = [...says.keys()]
    .sort((one, other) => other.length - one.length)
    .map((word) => word.split(" ").map(escapeRegExp).join("\\s+"));
  const pattern = new RegExp(
    `${inlinePhonemeLink.source}|(?<![\\p{L}\\p{M}\\p{N}])(?:${words.join("|")})(?![\\p{L}\\p{M}\\p{N}])`,
    "giu",
  );
  return (text) =>
    text.replace(pattern, (match: string, link: string | undefined) => {
      const spoken = link === undefined ? says.get(normalizeKey(match)) : undefined;
      if (spoken === undefined) return match;
      const phonemes = /^\/(.*)\/$/
        .exec(spoken)?.[1]
        ?.replace(/[()\n]/g, "")
        .trim();
      return phonemes === undefined
        ? spoken
        : `[${match.replace(/[[\]\s]+/g, " ")}](/${phonemes}/)`;
    });
}

const normalizeKey = (word: string): string =>
  word.normalize("NFC").trim().replace(/\s+/g, " ").toLowerCase();
const escapeRegExp = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
