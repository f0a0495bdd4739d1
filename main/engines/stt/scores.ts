// Scores of a transcript as openai/whisper defines them, for every transcription engine.

import { deflateSync } from "node:zlib";

/** Above this, a text repeats itself: openai/whisper's `compression_ratio_threshold`. */
export const maxCompressionRatio = 2.4;

/**
 * Sum of the log-probabilities, including the end token's, divided by the number of tokens plus one. As in
 * openai/whisper, also where the end token was never reached.
 * @param decoded `logProbs` has one more than `tokens` if the end token was reached
 */
export function avgLogprob({
  tokens,
  logProbs,
}: {
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
}): number {
  return logProbs.reduce((sum, value) => sum + value, 0) / (tokens.length + 1);
}

/** UTF-8 bytes of the text divided by their size after zlib; 0 for no text. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text.trim());
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}
