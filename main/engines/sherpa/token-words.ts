// Words with times and probabilities from the tokens of a recognizer. Pure.

import type { TranscriptWord } from "../../contract/speech.ts";
import type { RecognitionResult } from "./sherpa-onnx.ts";

/** Where a model tells only when a token starts, its last one lasts this long at most. */
const maxTokenSec = 0.4;
/** A byte of a character that is not in the vocabulary. */
const bytePattern = /^<0x([0-9A-Fa-f]{2})>$/;
/** Scripts that do not separate words: each token is a word. */
const unseparated = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const startsWord = (token: string): boolean => /^[ ▁]/.test(token) || unseparated.test(token);

type TimedTokens = Pick<RecognitionResult, "tokens" | "timestamps" | "durations" | "ys_log_probs">;

/**
 * @param offsetSec position of the audio in the file
 * @param endSec end of the audio in the file
 * @returns undefined if the model does not tell times
 */
export function wordsFromTokens(
  { tokens, timestamps, durations, ys_log_probs: logProbs }: TimedTokens,
  offsetSec: number,
  endSec: number,
): TranscriptWord[] | undefined {
  if (timestamps.length < tokens.length) return undefined;
  const groups: number[][] = [];
  for (const [index, token] of tokens.entries()) {
    if (groups.length === 0 || startsWord(token)) groups.push([]);
    groups.at(-1)?.push(index);
  }
  const startOf = (index: number): number => offsetSec + (timestamps[index] as number);
  return groups.flatMap((group) => {
    const first = group[0] as number;
    const last = group.at(-1) as number;
    const word = joinTokens(group.map((index) => tokens[index] as string));
    if (word === "") return [];
    const nextSec = last + 1 < tokens.length ? startOf(last + 1) : endSec;
    const durationSec = durations[last] ?? maxTokenSec;
    const startSec = Math.min(startOf(first), endSec);
    return [
      {
        word,
        startSec,
        endSec: Math.max(startSec, Math.min(startOf(last) + durationSec, nextSec)),
        probability: meanProbability(group.map((index) => logProbs[index] ?? 0)),
      },
    ];
  });
}

/** The text of tokens, those of single bytes included. */
export function joinTokens(tokens: readonly string[]): string {
  const bytes = tokens.map((token) => {
    const [, hex] = bytePattern.exec(token) ?? [];
    return hex === undefined ? Buffer.from(token) : Buffer.from(hex, "hex");
  });
  return Buffer.concat(bytes).toString().replaceAll("▁", " ").trim();
}

/** Whether a vocabulary has no small letters, though its script has them. Names of special tokens do not count. */
export function isInCapitals(tokens: Iterable<string>): boolean {
  const letters = [...tokens].filter((token) => !/^<.*>$/.test(token)).join("");
  return letters !== letters.toLowerCase() && letters === letters.toUpperCase();
}

const meanProbability = (logProbs: readonly number[]): number =>
  Math.exp(logProbs.reduce((sum, value) => sum + value, 0) / logProbs.length);
