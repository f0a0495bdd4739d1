// Inline phonemes: `[word](/phonemes/)`. Each such word is replaced by one placeholder from Unicode's private use area,
// which no other step changes.

const firstPlaceholder = 0xe000;
const lastPlaceholder = 0xf8ff;
export const inlinePhonemeLink = /\[([^[\]\n]{1,100})\]\(\/([^()\n]{0,200}?)\/?\)/g;

export type InlinePhonemes = {
  /** The text with placeholders. */
  readonly text: string;
  /** Replaces placeholders by the words as written; other text stays as it is. */
  toWritten(text: string): string;
  /** The phonemes of a placeholder; undefined for other text. */
  phonemes(text: string): string | undefined;
};

export function extractInlinePhonemes(text: string): InlinePhonemes {
  const entries: { word: string; phonemes: string }[] = [];
  const textWithPlaceholders = text
    .replace(/[\uE000-\uF8FF]/g, " ")
    .replace(inlinePhonemeLink, (_, word: string, phonemes: string) => {
      if (firstPlaceholder + entries.length > lastPlaceholder) return word;
      entries.push({ word, phonemes: phonemes.trim() });
      return String.fromCharCode(firstPlaceholder + entries.length - 1);
    });
  const findEntry = (placeholder: string): { word: string; phonemes: string } | undefined =>
    placeholder.length === 1 ? entries[placeholder.charCodeAt(0) - firstPlaceholder] : undefined;
  return {
    text: textWithPlaceholders,
    toWritten: (token) => findEntry(token)?.word ?? token,
    phonemes: (token) => findEntry(token)?.phonemes,
  };
}
