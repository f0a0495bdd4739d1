// Figures of a transcript that openai/whisper defines, for every engine that hears.

import { deflateSync } from "node:zlib";

/** A text above it repeats itself: openai/whisper's `compression_ratio_threshold`. */
export const maxCompressionRatio = 2.4;

/**
 * Sum of the log-probabilities, the end token's included, by one more than there are tokens: also where the end was never
 * reached, as openai/whisper has it.
 * @param decoded `logProbs` has one more than `tokens` where the end was reached
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

/** UTF-8 bytes of the text divided by the bytes zlib makes of them; 0 for no text. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text.trim());
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}
