// Figures of a transcript that openai/whisper defines, for every engine that hears.

import { deflateSync } from 'node:zlib';

/** Mean of the tokens' log-probabilities; 0 for none. */
export function avgLogprob(logProbs: readonly number[]): number {
  return logProbs.length === 0 ? 0 : logProbs.reduce((sum, value) => sum + value, 0) / logProbs.length;
}

/** UTF-8 bytes of the text divided by the bytes zlib makes of them; 0 for no text. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text.trim());
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}
