// Transcript segments from what the library recognized: the text as it is read, tokens by their numbers, words with
// times.

import { readFile } from "node:fs/promises";
import type { InstalledModel } from "../../contract/models.ts";
import type { TranscriptSegment } from "../../contract/speech.ts";
import type { SpeechSegment, TranscribeOptions } from "../engine.ts";
import { compressionRatio } from "../stt/scores.ts";
import { findFile } from "./model-folder.ts";
import type { RecognitionResult } from "./sherpa-onnx.ts";
import { isInCapitals, joinTokens, wordsFromTokens } from "./token-words.ts";

export type Vocabulary = {
  readonly tokenIds: ReadonlyMap<string, number>;
  readonly onlyCapitals: boolean;
};

export async function readVocabulary(model: InstalledModel): Promise<Vocabulary> {
  const tokenIds = await readTokenIds(model);
  return { tokenIds, onlyCapitals: isInCapitals(tokenIds.keys()) };
}

/** @returns none if nothing was said */
export function toSegments(
  result: RecognitionResult,
  speech: SpeechSegment,
  options: TranscribeOptions,
  language: string,
  { tokenIds, onlyCapitals }: Vocabulary,
): TranscriptSegment[] {
  const segment = toSegment(result, speech, options, language, tokenIds);
  if (segment.text === "") return [];
  return [onlyCapitals ? inSmallLetters(segment) : segment];
}

function toSegment(
  result: RecognitionResult,
  speech: SpeechSegment,
  { wordTimes }: TranscribeOptions,
  language: string,
  tokenIds: ReadonlyMap<string, number>,
): TranscriptSegment {
  // Where the vocabulary lacks a character, the library writes the names of its bytes.
  const text = /<0x[0-9A-F]{2}>/.test(result.text) ? joinTokens(result.tokens) : result.text.trim();
  const logProbs = result.ys_log_probs;
  const words = wordTimes
    ? wordsFromTokens(result, speech.offsetSec, Math.max(speech.startSec, speech.endSec))
    : undefined;
  return {
    startSec: speech.startSec,
    endSec: speech.endSec,
    text,
    tokens: result.tokens.flatMap((token) => tokenIds.get(normalizeToken(token)) ?? []),
    temperature: 0,
    avgLogprob:
      logProbs.length === 0 ? 0 : logProbs.reduce((sum, value) => sum + value, 0) / logProbs.length,
    compressionRatio: compressionRatio(text),
    noSpeechProb: 1 - speech.voiceProb,
    seekFrames: Math.round(speech.offsetSec * 100),
    language,
    ...(words === undefined ? {} : { words }),
  };
}

/** Nobody wants to read a text all in capitals. */
const inSmallLetters = (segment: TranscriptSegment): TranscriptSegment => ({
  ...segment,
  text: segment.text.toLowerCase(),
  ...(segment.words === undefined
    ? {}
    : { words: segment.words.map((word) => ({ ...word, word: word.word.toLowerCase() })) }),
});

/** The library writes the mark of a word's start as a space. */
const normalizeToken = (token: string): string => token.replaceAll("▁", " ");

/** Lines of a symbol and its number. */
async function readTokenIds(model: InstalledModel): Promise<ReadonlyMap<string, number>> {
  const path = findFile(model, /(^|\/)tokens\.txt$/);
  const text = path === undefined ? "" : await readFile(path, "utf8");
  return new Map(
    text.split("\n").flatMap((line) => {
      const [, symbol, id] = /^(.*) (\d+)\s*$/.exec(line) ?? [];
      return symbol === undefined ? [] : [[normalizeToken(symbol), Number(id)] as const];
    }),
  );
}
