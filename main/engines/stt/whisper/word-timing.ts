// Joins Whisper's tokens into words with times, as openai/whisper's timing.py does: words begin at spaces (in languages
// without spaces every character is a word), punctuation belongs to its word. Difference: for Khmer, also without
// spaces, openai/whisper treats a whole phrase as one word.

import { languagesWithoutSpaces } from "../../../contract/languages.ts";
import { alignTokens } from "../word-alignment.ts";
import { secPerFrame, type WhisperConfiguration, type WhisperVocabulary } from "./configuration.ts";
import type { DecodedText } from "./decoding.ts";

/** Text tokens without timestamps. Times are seconds in the window. */
export type WindowWord = {
  text: string;
  tokens: number[];
  startSec: number;
  endSec: number;
  probability: number;
};

const openingPunctuation = new Set("\"'“¿([{-");
const closingPunctuation = new Set("\"'.。,，!！?？:：”)]}、…");
const sentenceEnds = new Set(".。!！?？");
/**
 * A part that occurs in this string is punctuation, as in openai/whisper. `--`, which does not, belongs to the word
 * before it.
 */
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** @param decoded with its attentions */
export function extractWords(
  decoded: DecodedText,
  { endToken }: WhisperConfiguration,
  vocabulary: WhisperVocabulary,
): WindowWord[] {
  const { tokens, logProbs, attentions, language = "en" } = decoded;
  const textTokens = tokens.flatMap((token, index) =>
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
  if (textTokens.length === 0) return [];
  const endAttention = attentions[tokens.length];
  const tokenStartsSec = alignTokens([
    ...textTokens.map(({ attention }) => attention),
    ...(endAttention === undefined ? [] : [endAttention]),
  ]).map((frame) => frame * secPerFrame);
  const words: WindowWord[] = [];
  let from = 0;
  for (const { text, count } of joinPunctuation(
    splitWords(
      textTokens.map(({ token }) => token),
      language,
      vocabulary,
    ),
  )) {
    const part = textTokens.slice(from, from + count);
    words.push({
      text,
      tokens: part.map(({ token }) => token),
      startSec: tokenStartsSec[from] ?? 0,
      endSec: tokenStartsSec[from + count] ?? 0,
      probability: part.reduce((sum, entry) => sum + entry.probability, 0) / count,
    });
    from += count;
  }
  shortenLongWords(words);
  return words;
}

/** Assigns words to segments by their tokens; words after the last segment are dropped. */
export function groupWordsBySegment(
  words: readonly WindowWord[],
  segments: readonly { tokens: readonly number[] }[],
  { endToken }: Pick<WhisperConfiguration, "endToken">,
): WindowWord[][] {
  let next = 0;
  let consumedTokens = 0;
  let segmentEndToken = 0;
  return segments.map(({ tokens }) => {
    const segmentWords: WindowWord[] = [];
    segmentEndToken += tokens.filter((token) => token < endToken).length;
    // A word across the border belongs to the segment where it begins.
    for (
      let word = words[next];
      word !== undefined && consumedTokens < segmentEndToken;
      word = words[next]
    ) {
      segmentWords.push(word);
      consumedTokens += word.tokens.length;
      next += 1;
    }
    return segmentWords;
  });
}

type TextPart = { text: string; count: number };

function splitWords(
  tokens: readonly number[],
  language: string,
  vocabulary: WhisperVocabulary,
): TextPart[] {
  const characters = splitCharacters(tokens, vocabulary);
  if (languagesWithoutSpaces.has(language)) return characters;
  const words: TextPart[] = [];
  for (const { text, count } of characters) {
    const last = words.at(-1);
    if (last === undefined || text.startsWith(" ") || punctuation.includes(text.trim()))
      words.push({ text, count });
    else {
      last.text += text;
      last.count += count;
    }
  }
  return words;
}

/** Tokens may end within a character; tokens that complete a character together are one part. */
function splitCharacters(tokens: readonly number[], vocabulary: WhisperVocabulary): TextPart[] {
  const parts: TextPart[] = [];
  const wholeText = vocabulary.decode(tokens);
  let at = 0;
  let from = 0;
  for (let to = 1; to <= tokens.length; to += 1) {
    const text = vocabulary.decode(tokens.slice(from, to));
    const replacementIndex = text.indexOf("\uFFFD");
    // The model may also output the replacement character itself.
    if (
      replacementIndex >= 0 &&
      wholeText[at + replacementIndex] !== "\uFFFD" &&
      to < tokens.length
    )
      continue;
    parts.push({ text, count: to - from });
    at += text.length;
    from = to;
  }
  return parts;
}

/** Opening marks join the next word, all others the previous one. */
function joinPunctuation(words: readonly TextPart[]): TextPart[] {
  const joined: TextPart[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const isOpening =
      last !== undefined && last.text.startsWith(" ") && openingPunctuation.has(last.text.trim());
    const isClosing =
      last !== undefined &&
      !last.text.endsWith(" ") &&
      [...word.text].every((sign) => closingPunctuation.has(sign));
    if (last !== undefined && (isOpening || isClosing)) {
      last.text += word.text;
      last.count += word.count;
    } else joined.push({ ...word });
  }
  return joined;
}

/** A word next to the end of a sentence often includes the pause; it is shortened to twice the typical length. */
function shortenLongWords(words: WindowWord[]): void {
  const durationsSec = words
    .map(({ startSec, endSec }) => endSec - startSec)
    .filter((length) => length > 0)
    .sort((entry, other) => entry - other);
  const typicalSec = Math.min(0.7, durationsSec[durationsSec.length >> 1] ?? 0);
  if (typicalSec === 0) return;
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (before === undefined || word.endSec - word.startSec <= 2 * typicalSec) continue;
    if (sentenceEnds.has(word.text.at(-1) ?? "")) word.endSec = word.startSec + 2 * typicalSec;
    else if (sentenceEnds.has(before.text.at(-1) ?? ""))
      word.startSec = word.endSec - 2 * typicalSec;
  }
}
