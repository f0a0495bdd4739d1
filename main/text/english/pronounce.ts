// Phonemes of a tagged sentence. Words are read right to left, since a reading depends on the sound that follows;
// a word of several parts is read in the longest stretches that have a reading.

import type { Item, Part } from "./groups.ts";
import { type NextSound, firstSound, primary, weight, withStress } from "./phonemes.ts";
import { addS } from "./suffixes.ts";
import type { WordReader } from "./words.ts";

type Context = { next: NextSound; beforeTo: boolean };
type Spoken = { readonly text: string; phonemes: string };

/** `guess` answers for words in no dictionary; what it does not know yet sounds like nothing. */
export function pronounce(
  items: readonly Item[],
  read: WordReader,
  guess: (word: string) => string,
): string {
  const out: string[] = [];
  let context: Context = { next: "pause", beforeTo: false };
  for (const item of items.toReversed()) {
    const space = item.spaced ? " " : "";
    if (item.kind === "pause") {
      out.push(item.phonemes + space);
      context = { next: firstSound(item.phonemes, context.next), beforeTo: false };
      continue;
    }
    const spoken = speak(item.parts, context, read, guess);
    const word = joined(spoken, item.parts);
    out.push(word + space);
    const text = item.parts.map((part) => part.text).join("");
    context = { next: firstSound(word, context.next), beforeTo: /^(?:to|To|TO)$/.test(text) };
  }
  return out
    .reverse()
    .join("")
    .replace(/\s+/g, " ")
    .replace(/[,;:] (?=[,;:.!?])/g, "")
    .trim();
}

function speak(
  parts: readonly Part[],
  after: Context,
  read: WordReader,
  guess: (word: string) => string,
): Spoken[] {
  const spoken: Spoken[] = [];
  let context = after;
  let end = parts.length;
  while (end > 0) {
    const last = parts[end - 1];
    let start = last?.given === undefined ? 0 : end - 1;
    let phonemes = last?.given;
    for (; phonemes === undefined && start < end; start++) {
      const stretch = parts.slice(start, end);
      if (stretch.some((part) => part.given !== undefined)) continue;
      const text = stretch.map((part) => part.text).join("");
      phonemes = read(text, { ...context, tag: leadingTag(stretch), head: start === 0 });
      if (phonemes !== undefined) break;
    }
    if (phonemes === undefined) {
      start = end - 1;
      const text = last?.text ?? "";
      phonemes = /\p{Script=Latin}/u.test(text) ? guess(plainLetters(text)) : "";
    }
    const text = parts
      .slice(start, end)
      .map((part) => part.text)
      .join("");
    spoken.unshift({ text, phonemes });
    context = { next: firstSound(phonemes, context.next), beforeTo: text.toLowerCase() === "to" };
    end = start;
  }
  // The possessive of a guessed or given word sounds as its last sound wants it.
  for (const [index, part] of spoken.entries()) {
    const owner = spoken[index - 1];
    if (!/^['’]s$/i.test(part.text) || !owner?.phonemes) continue;
    owner.phonemes = addS(owner.phonemes);
    part.phonemes = "";
  }
  return spoken;
}

/** Letters beyond Latin-1 and Latin Extended-A lose their marks: the net that guesses does not know them. */
function plainLetters(word: string): string {
  return word.replace(/[^\p{ASCII}\u0080-\u017f]/gu, (letter) =>
    letter.normalize("NFKD").replace(/\p{M}/gu, ""),
  );
}

/** The tag of the part that carries the word: the one with most letters, capitals counting double. */
function leadingTag(parts: readonly Part[]): string {
  let best = -1;
  let tag = "NN";
  for (const part of parts) {
    let size = 0;
    for (const character of part.text) size += character === character.toLowerCase() ? 1 : 2;
    if (size > best) [best, tag] = [size, part.tag];
  }
  return tag;
}

/** Parts of one word run together; parts of different kinds, and those around a slash, stay apart. */
function joined(spoken: readonly Spoken[], parts: readonly Part[]): string {
  const sounding = spoken.filter((part) => part.phonemes !== "");
  const text = parts.map((part) => part.text).join("");
  const kinds = new Set(
    [...text]
      .filter((character) => !/['",\-._/’]/.test(character))
      .map((character) =>
        /\p{L}/u.test(character) ? "letter" : /\d/.test(character) ? "digit" : "sign",
      ),
  );
  if (kinds.size > 1 || text.includes("/")) return sounding.map((part) => part.phonemes).join(" ");
  balance(sounding);
  return sounding.map((part) => part.phonemes).join("");
}

/** At most half the parts, rounded up, keep primary stress; of two parts a lone first letter keeps its own. */
function balance(parts: readonly Spoken[]): void {
  const [first, second] = parts;
  if (parts.length === 2 && first && second && first.text.length === 1) {
    second.phonemes = withStress(second.phonemes, "demoted");
    return;
  }
  const stressed = parts.filter((part) => part.phonemes.includes(primary)).length;
  if (parts.length < 2 || stressed <= Math.floor((parts.length + 1) / 2)) return;
  const byWeight = parts.map((part, index) => ({
    part,
    index,
    strong: part.phonemes.includes(primary) ? 1 : 0,
  }));
  byWeight.sort(
    (a, b) =>
      a.strong - b.strong || weight(a.part.phonemes) - weight(b.part.phonemes) || a.index - b.index,
  );
  for (const { part } of byWeight.slice(0, Math.floor(parts.length / 2)))
    part.phonemes = withStress(part.phonemes, "demoted");
}
