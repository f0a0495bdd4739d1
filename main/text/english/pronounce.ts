// Phonemes of a tagged sentence. Words are read from right to left, since a pronunciation depends on the sound that
// follows; a word of several parts is read in the longest runs that have a pronunciation.

import type { SpeechItem, Part } from "./token-groups.ts";
import {
  type NextSound,
  firstSound,
  primaryStress,
  phonemeWeight,
  applyStress,
} from "./phonemes.ts";
import { addS } from "./suffixes.ts";
import type { WordReader } from "./word-reader.ts";

type Context = { next: NextSound; isBeforeTo: boolean };
type SpokenPart = { readonly text: string; phonemes: string };

/** `predictPhonemes` is called for words in no lexicon; a word it has no result for yet is silent. */
export function pronounce(
  items: readonly SpeechItem[],
  readWord: WordReader,
  predictPhonemes: (word: string) => string,
): string {
  const out: string[] = [];
  let context: Context = { next: "pause", isBeforeTo: false };
  for (const item of items.toReversed()) {
    const space = item.hasSpaceAfter ? " " : "";
    if (item.kind === "pause") {
      out.push(item.phonemes + space);
      context = { next: firstSound(item.phonemes, context.next), isBeforeTo: false };
      continue;
    }
    const spoken = pronounceWord(item.parts, context, readWord, predictPhonemes);
    const word = joinParts(spoken, item.parts);
    out.push(word + space);
    const text = item.parts.map((part) => part.text).join("");
    context = { next: firstSound(word, context.next), isBeforeTo: /^(?:to|To|TO)$/.test(text) };
  }
  return out
    .reverse()
    .join("")
    .replace(/\s+/g, " ")
    .replace(/[,;:] (?=[,;:.!?])/g, "")
    .trim();
}

function pronounceWord(
  parts: readonly Part[],
  followingContext: Context,
  readWord: WordReader,
  predictPhonemes: (word: string) => string,
): SpokenPart[] {
  const spoken: SpokenPart[] = [];
  let context = followingContext;
  let end = parts.length;
  while (end > 0) {
    const last = parts[end - 1];
    let start = last?.inlinePhonemes === undefined ? 0 : end - 1;
    let phonemes = last?.inlinePhonemes;
    for (; phonemes === undefined && start < end; start++) {
      const candidate = parts.slice(start, end);
      if (candidate.some((part) => part.inlinePhonemes !== undefined)) continue;
      const text = candidate.map((part) => part.text).join("");
      phonemes = readWord(text, {
        ...context,
        tag: dominantTag(candidate),
        isWordStart: start === 0,
      });
      if (phonemes !== undefined) break;
    }
    if (phonemes === undefined) {
      start = end - 1;
      const text = last?.text ?? "";
      phonemes = /\p{Script=Latin}/u.test(text) ? predictPhonemes(toPlainLetters(text)) : "";
    }
    const text = parts
      .slice(start, end)
      .map((part) => part.text)
      .join("");
    spoken.unshift({ text, phonemes });
    context = { next: firstSound(phonemes, context.next), isBeforeTo: text.toLowerCase() === "to" };
    end = start;
  }
  // After predicted or inline phonemes, the possessive s depends on their last sound.
  for (const [index, part] of spoken.entries()) {
    const previousPart = spoken[index - 1];
    if (!/^['’]s$/i.test(part.text) || !previousPart?.phonemes) continue;
    previousPart.phonemes = addS(previousPart.phonemes);
    part.phonemes = "";
  }
  return spoken;
}

/**
 * Removes diacritics from letters beyond Latin-1 and Latin Extended-A: the grapheme-to-phoneme model does not know
 * them.
 */
function toPlainLetters(word: string): string {
  return word.replace(/[^\p{ASCII}\u0080-\u017f]/gu, (letter) =>
    letter.normalize("NFKD").replace(/\p{M}/gu, ""),
  );
}

/** The tag of the dominant part: the one with most letters, capitals counting double. */
function dominantTag(parts: readonly Part[]): string {
  let best = -1;
  let tag = "NN";
  for (const part of parts) {
    let size = 0;
    for (const character of part.text) size += character === character.toLowerCase() ? 1 : 2;
    if (size > best) [best, tag] = [size, part.tag];
  }
  return tag;
}

/** Joins the parts of a word; keeps a space between parts of different kinds and around a slash. */
function joinParts(spoken: readonly SpokenPart[], parts: readonly Part[]): string {
  const audibleParts = spoken.filter((part) => part.phonemes !== "");
  const text = parts.map((part) => part.text).join("");
  const kinds = new Set(
    [...text]
      .filter((character) => !/['",\-._/’]/.test(character))
      .map((character) =>
        /\p{L}/u.test(character) ? "letter" : /\d/.test(character) ? "digit" : "sign",
      ),
  );
  if (kinds.size > 1 || text.includes("/"))
    return audibleParts.map((part) => part.phonemes).join(" ");
  balanceStress(audibleParts);
  return audibleParts.map((part) => part.phonemes).join("");
}

/** At most half of the parts, rounded up, keep primary stress; of two parts, a single first letter keeps its own. */
function balanceStress(parts: readonly SpokenPart[]): void {
  const [first, second] = parts;
  if (parts.length === 2 && first && second && first.text.length === 1) {
    second.phonemes = applyStress(second.phonemes, "demoted");
    return;
  }
  const stressedCount = parts.filter((part) => part.phonemes.includes(primaryStress)).length;
  if (parts.length < 2 || stressedCount <= Math.floor((parts.length + 1) / 2)) return;
  const byWeight = parts.map((part, index) => ({
    part,
    index,
    strong: part.phonemes.includes(primaryStress) ? 1 : 0,
  }));
  byWeight.sort(
    (a, b) =>
      a.strong - b.strong ||
      phonemeWeight(a.part.phonemes) - phonemeWeight(b.part.phonemes) ||
      a.index - b.index,
  );
  for (const { part } of byWeight.slice(0, Math.floor(parts.length / 2)))
    part.phonemes = applyStress(part.phonemes, "demoted");
}
