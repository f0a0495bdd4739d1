// Joins tokens into written words and splits these into parts that can be read separately: at hyphens and slashes,
// between letters and digits, at inner capitals. Converts punctuation to pauses.

import type { Token } from "./tokens.ts";

export type Part = {
  readonly text: string;
  readonly tag: string;
  /** Inline phonemes from the text. */
  readonly inlinePhonemes?: string;
};

export type SpeechItem =
  | { readonly kind: "pause"; readonly phonemes: string; readonly hasSpaceAfter: boolean }
  | { readonly kind: "word"; readonly parts: readonly Part[]; readonly hasSpaceAfter: boolean };

/** Limits the parts per word, so that no input takes long; longer words become several words. */
const maxParts = 16;

const pausePhonemes = new Map([
  [";", ";"],
  [":", ":"],
  [",", ","],
  [".", "."],
  ["!", "!"],
  ["?", "?"],
  ["…", "…"],
  ["(", "("],
  [")", ")"],
  ["—", "—"],
  ["–", "—"],
  ["―", "—"],
  ["¡", ""],
  ["¿", ""],
  ['"', ""],
  ["“", ""],
  ["”", ""],
  ["«", ""],
  ["»", ""],
  ["„", ""],
  ["`", ""],
  ["[", ""],
  ["]", ""],
  ["{", ""],
  ["}", ""],
  ["<", ""],
  [">", ""],
  ["*", ""],
  ["|", ""],
  ["~", ""],
  ["_", ""],
  ["^", ""],
]);

const partPattern = new RegExp(
  [
    String.raw`\d+(?:[,.]\d+)*(?:st|nd|rd|th|s)?(?![\p{L}\d])|\d+(?:[,.]\d+)*|\.\d+`,
    String.raw`\p{Lu}(?=\p{Lu}\p{Ll})|\p{L}*?\p{Ll}(?=\p{Lu})|[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*`,
    String.raw`[-_]+|[^-_\p{L}\d]`,
  ].join("|"),
  "gu",
);

/** `findInlinePhonemes` returns the phonemes of a placeholder. */
export function groupTokens(
  tokens: readonly Token[],
  tags: readonly string[],
  findInlinePhonemes: (text: string) => string | undefined,
): SpeechItem[] {
  const items: SpeechItem[] = [];
  let parts: Part[] = [];
  const close = (hasSpaceAfter: boolean): void => {
    if (parts.length > 0) items.push({ kind: "word", parts, hasSpaceAfter });
    parts = [];
  };
  tokens.forEach((token, index) => {
    // Within a sentence a capital A is the letter: "an A plus".
    const tag =
      token.text === "A" && /^\p{Ll}+$/u.test(tokens[index - 1]?.text ?? "")
        ? "NN"
        : (tags[index] ?? "NN");
    // A hyphen that joins nothing is a dash.
    const pause = token.text === "-" && parts.length === 0 ? "—" : toPausePhonemes(token.text, tag);
    if (pause !== undefined) {
      close(false);
      items.push({ kind: "pause", phonemes: pause, hasSpaceAfter: token.hasSpaceAfter });
      return;
    }
    for (const [text] of token.text.matchAll(partPattern)) {
      const phonemes = findInlinePhonemes(text);
      parts.push(phonemes === undefined ? { text, tag } : { text, tag, inlinePhonemes: phonemes });
      if (parts.length >= maxParts) close(false);
    }
    if (token.hasSpaceAfter) {
      if (parts.length > 0) close(true);
      else items.push({ kind: "pause", phonemes: "", hasSpaceAfter: true });
    }
  });
  close(false);
  // The full stop of an abbreviation at the end of the text also ends the sentence.
  if (/\p{L}\.$/u.test(tokens.at(-1)?.text ?? ""))
    items.push({ kind: "pause", phonemes: ".", hasSpaceAfter: false });
  return items;
}

function toPausePhonemes(text: string, tag: string): string | undefined {
  if (text === "-" || /^--+$/.test(text)) return text === "-" && tag !== ":" ? undefined : "—";
  if (/^\.{2,}$/.test(text)) return "…";
  let pause = "";
  for (const character of text) {
    const sound = pausePhonemes.get(character);
    if (sound === undefined) return undefined;
    pause += sound;
  }
  return pause;
}
