// Joins Whisper's tokens into words with their times, as openai/whisper's timing.py does: words begin at spaces (in
// languages without spaces every character is one), punctuation belongs to its word. Only of Khmer, which is written
// without spaces too, openai/whisper makes a whole phrase one word.

import { unspaced } from "../../../contract/languages.ts";
import { alignTokens } from "../word-alignment.ts";
import { secPerFrame, type WhisperConfiguration, type WhisperVocabulary } from "./configuration.ts";
import type { Decoded } from "./decoding.ts";

/** Tokens are the text's, without timestamps. Times are seconds in the window. */
export type WindowWord = {
  text: string;
  tokens: number[];
  startSec: number;
  endSec: number;
  probability: number;
};

const opening = new Set("\"'“¿([{-");
const closing = new Set("\"'.。,，!！?？:：”)]}、…");
const sentenceEnds = new Set(".。!！?？");
/** Parts of this are words of their own until they are joined, as in openai/whisper: `--`, which is none, belongs to the word before. */
const signs = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** @param decoded with its attentions */
export function wordsOf(
  decoded: Decoded,
  { endToken }: WhisperConfiguration,
  vocabulary: WhisperVocabulary,
): WindowWord[] {
  const { tokens, logProbs, attentions, language = "en" } = decoded;
  const spoken = tokens.flatMap((token, index) =>
    token < endToken
      ? [
          {
            token,
            probability: Math.exp(logProbs[index] as number),
            attention: attentions[index] as Float32Array[],
          },
        ]
      : [],
  );
  if (spoken.length === 0) return [];
  const end = attentions[tokens.length];
  const beginsSec = alignTokens([
    ...spoken.map(({ attention }) => attention),
    ...(end === undefined ? [] : [end]),
  ]).map((frame) => frame * secPerFrame);
  const words: WindowWord[] = [];
  let from = 0;
  for (const { text, count } of joinPunctuation(
    splitWords(
      spoken.map(({ token }) => token),
      language,
      vocabulary,
    ),
  )) {
    const part = spoken.slice(from, from + count);
    words.push({
      text,
      tokens: part.map(({ token }) => token),
      startSec: beginsSec[from] ?? 0,
      endSec: beginsSec[from + count] ?? 0,
      probability: part.reduce((sum, one) => sum + one.probability, 0) / count,
    });
    from += count;
  }
  shortenLong(words);
  return words;
}

/** Each segment's own words, by its tokens; those of tokens behind the last segment are left out. */
export function wordsBySegment(
  words: readonly WindowWord[],
  segments: readonly { tokens: readonly number[] }[],
  { endToken }: Pick<WhisperConfiguration, "endToken">,
): WindowWord[][] {
  let next = 0;
  let taken = 0;
  let until = 0;
  return segments.map(({ tokens }) => {
    const own: WindowWord[] = [];
    until += tokens.filter((token) => token < endToken).length;
    // A word over the border belongs to where it begins.
    for (let word = words[next]; word !== undefined && taken < until; word = words[next]) {
      own.push(word);
      taken += word.tokens.length;
      next += 1;
    }
    return own;
  });
}

type Part = { text: string; count: number };

function splitWords(
  tokens: readonly number[],
  language: string,
  vocabulary: WhisperVocabulary,
): Part[] {
  const characters = splitCharacters(tokens, vocabulary);
  if (unspaced.has(language)) return characters;
  const words: Part[] = [];
  for (const { text, count } of characters) {
    const last = words.at(-1);
    if (last === undefined || text.startsWith(" ") || signs.includes(text.trim()))
      words.push({ text, count });
    else {
      last.text += text;
      last.count += count;
    }
  }
  return words;
}

/** Tokens may end in the midst of a character: those that make whole ones together are one part. */
function splitCharacters(tokens: readonly number[], vocabulary: WhisperVocabulary): Part[] {
  const parts: Part[] = [];
  const whole = vocabulary.decode(tokens);
  let at = 0;
  let from = 0;
  for (let to = 1; to <= tokens.length; to += 1) {
    const text = vocabulary.decode(tokens.slice(from, to));
    const broken = text.indexOf("\uFFFD");
    // A model may also write that character itself.
    if (broken >= 0 && whole[at + broken] !== "\uFFFD" && to < tokens.length) continue;
    parts.push({ text, count: to - from });
    at += text.length;
    from = to;
  }
  return parts;
}

/** Opening signs go to the word behind, all others to the one before. */
function joinPunctuation(words: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const opens = last !== undefined && last.text.startsWith(" ") && opening.has(last.text.trim());
    const closes =
      last !== undefined &&
      !last.text.endsWith(" ") &&
      [...word.text].every((sign) => closing.has(sign));
    if (last !== undefined && (opens || closes)) {
      last.text += word.text;
      last.count += word.count;
    } else joined.push({ ...word });
  }
  return joined;
}

/** A word beside the end of a sentence takes the pause for its own: no more than twice the usual length is left to it. */
function shortenLong(words: WindowWord[]): void {
  const lengths = words
    .map(({ startSec, endSec }) => endSec - startSec)
    .filter((length) => length > 0)
    .sort((one, other) => one - other);
  const usual = Math.min(0.7, lengths[lengths.length >> 1] ?? 0);
  if (usual === 0) return;
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (before === undefined || word.endSec - word.startSec <= 2 * usual) continue;
    if (sentenceEnds.has(word.text.at(-1) ?? "")) word.endSec = word.startSec + 2 * usual;
    else if (sentenceEnds.has(before.text.at(-1) ?? "")) word.startSec = word.endSec - 2 * usual;
  }
}
