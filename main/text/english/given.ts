// Phonemes given by hand: `[word](/phonemes/)`. Each such word becomes one stand-in character of Unicode's private
// use area, which passes through all steps untouched.

const first = 0xe000;
const last = 0xf8ff;
const link = /\[([^[\]\n]{1,100})\]\(\/([^()\n]{0,200}?)\/?\)/g;

export type GivenPhonemes = {
  /** The text with stand-ins. */
  readonly text: string;
  /** What was written where a stand-in is; other text as it is. */
  written(text: string): string;
  /** The phonemes a stand-in carries; undefined for other text. */
  phonemes(text: string): string | undefined;
};

export function takeGiven(text: string): GivenPhonemes {
  const found: { word: string; phonemes: string }[] = [];
  const clean = text
    .replace(/[\uE000-\uF8FF]/g, " ")
    .replace(link, (_, word: string, phonemes: string) => {
      if (first + found.length > last) return word;
      found.push({ word, phonemes: phonemes.trim() });
      return String.fromCharCode(first + found.length - 1);
    });
  const find = (stand: string): { word: string; phonemes: string } | undefined =>
    stand.length === 1 ? found[stand.charCodeAt(0) - first] : undefined;
  return {
    text: clean,
    written: (token) => find(token)?.word ?? token,
    phonemes: (token) => find(token)?.phonemes,
  };
}
