// Chooses tokens step by step, greedily or by sampling, for a batch of encoded segments. Scores follow openai/whisper:
// log-softmax of the chosen token, including the end token.

import { type AttentionHead, chooseToken, tokenAttention } from "../decoder-step.ts";
import { endToken, startToken } from "./vocabulary.ts";
import type { Batch, Graphs, Step } from "./graphs.ts";
import type { Tensor } from "onnxruntime-node";

export type DecodedSegment = {
  /** Without start and end token. */
  tokens: number[];
  /** Natural logarithm of each token's probability; one more than `tokens` if the end token was reached. */
  logProbs: number[];
  /** Token → head → attention over the segment's frames, for the requested heads. */
  attentions: Float32Array[][];
};

export type DecodeOptions = {
  temperature: number;
  /** Maximum number of tokens per row. */
  maxTokens: readonly number[];
  /** Those of a single row are computed in one step, up to the first one that is not chosen. */
  expectedTokens?: readonly number[];
  /** Heads whose attentions are kept; an empty list has no cost. */
  heads: readonly AttentionHead[];
  random: () => number;
  signal: AbortSignal;
};

export async function decode(
  graphs: Graphs,
  batch: Batch,
  options: DecodeOptions,
): Promise<DecodedSegment[]> {
  const rows = batch.frameCounts.map((frames) => ({
    frames,
    done: false,
    decoded: { tokens: [], logProbs: [], attentions: [] } as DecodedSegment,
  }));
  /** Chooses the token of each row that follows the one at `position` of those fed. */
  const chooseTokens = (step: Step, position: number): number[] =>
    rows.map((row, index) => {
      if (row.done) return endToken;
      const { decoded, frames } = row;
      const logits = step.logits(index, position);
      const { token, logProb } = chooseToken(logits, options.temperature, options.random);
      decoded.logProbs.push(logProb);
      if (token === endToken) {
        row.done = true;
        return token;
      }
      decoded.tokens.push(token);
      if (options.heads.length > 0)
        decoded.attentions.push(
          options.heads.map((head) =>
            tokenAttention(step.attentions[head.layer], head, index, position, frames),
          ),
        );
      if (decoded.tokens.length >= (options.maxTokens[index] ?? 0) || isLooping(decoded.tokens))
        row.done = true;
      return token;
    });

  const { expectedTokens = [] } = options;
  let fedTokens = rows.map(() => [startToken, ...expectedTokens]);
  let cache: Record<string, Tensor> | undefined;
  while (rows.some(({ done }) => !done)) {
    options.signal.throwIfAborted();
    const step = await graphs.step(batch, fedTokens, cache, options.heads.length > 0);
    const [firstRow = []] = fedTokens;
    let position = 0;
    let chosenTokens = chooseTokens(step, position);
    while (position + 1 < firstRow.length && chosenTokens[0] === firstRow[position + 1]) {
      position += 1;
      chosenTokens = chooseTokens(step, position);
    }
    cache =
      position + 1 < firstRow.length ? graphs.keepTokens(step.cache, position + 1) : step.cache;
    fedTokens = chosenTokens.map((token) => [token]);
  }
  return rows.map(({ decoded }) => {
    trimLoop(decoded);
    return decoded;
  });
}

const loopRepeatCount = 4;
const maxLoopTokens = 12;

/** Length of the pattern that the tokens repeat four times at their end; 0 for none. */
function loopLength(tokens: readonly number[]): number {
  for (let length = 1; length <= maxLoopTokens; length += 1) {
    const from = tokens.length - length * loopRepeatCount;
    if (from < 0) return 0;
    if (
      tokens.slice(from, -length).every((token, index) => token === tokens[from + index + length])
    )
      return length;
  }
  return 0;
}

/** A model that repeats itself four times does not recover. */
function isLooping(tokens: readonly number[]): boolean {
  const length = loopLength(tokens);
  // Short patterns ("ha ha ha ha", "no, no, no, no") also occur in speech.
  return length * loopRepeatCount >= 12;
}

/** A loop that is too short for it, but that only the limit on tokens ended, is no speech either. */
function trimLoop({ tokens, logProbs, attentions }: DecodedSegment): void {
  const reachedEnd = logProbs.length > tokens.length;
  const length = loopLength(tokens);
  if (reachedEnd || length === 0) return;
  const keptTokens = tokens.length - length * (loopRepeatCount - 1);
  tokens.length = keptTokens;
  logProbs.length = keptTokens;
  attentions.length = Math.min(attentions.length, keptTokens);
}
