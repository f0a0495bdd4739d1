// Applies the user's pronunciations to a text: a respelling replaces the word, phonemes are added as inline phonemes
// (see english/inline-phonemes.ts). Pure.

import type { Pronunciation } from "../../contract/narration.ts";

/** `[word](/phonemes/)`; english/inline-phonemes.ts also accepts it without the closing slash. */
export const inlinePhonemeLink = /\[([^[\]\n]{1,100})\]\(\/([^()\n]{0,200}?)\/\)/g;

/**
 * Matches only whole words, ignoring case; words that already have inline phonemes are not changed. Of several entries
 * for a word, the last one counts.
 */
export function createPronouncer(entries: readonly Pronunciation[]): (text: string) => string {
  const says = new Map(
    entries.map(({ word, says: spoken }) => [normalizeKey(word), spoken.trim()]),
  );
  says.delete("");
  if (says.size === 0) return (text) => text;
  // "New York City" before "New York".
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
