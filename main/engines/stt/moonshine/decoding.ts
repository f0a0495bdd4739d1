// Chooses tokens step by step, greedily or by sampling, for a batch of encoded pieces.
// Scores follow openai/whisper: log-softmax of the chosen token, the end token's included.

import { choose, type Head, newestAttention } from "../decoder-step.ts";
import { endToken, startToken } from "./vocabulary.ts";
import type { Batch, Graphs } from "./graphs.ts";
import type { Tensor } from "onnxruntime-node";

export type Decoded = {
  /** Without start and end token. */
  tokens: number[];
  /** Probability of each token, natural logarithm; one more than `tokens` where the end token was reached. */
  logProbs: number[];
  /** Token → head → attention over the piece's frames, for the heads asked for. */
  attentions: Float32Array[][];
};

export type DecodeOptions = {
  temperature: number;
  /** Row → most tokens it may have. */
  maxTokens: readonly number[];
  /** Heads whose attentions are kept; none costs nothing. */
  heads: readonly Head[];
  random: () => number;
  signal: AbortSignal;
};

export async function decode(
  graphs: Graphs,
  batch: Batch,
  options: DecodeOptions,
): Promise<Decoded[]> {
  const rows = batch.framesOf.map((frames) => ({
    frames,
    done: false,
    decoded: { tokens: [], logProbs: [], attentions: [] } as Decoded,
  }));
  let next = rows.map(() => startToken);
  let cache: Record<string, Tensor> | undefined;
  while (rows.some(({ done }) => !done)) {
    options.signal.throwIfAborted();
    const step = await graphs.step(batch, next, cache, options.heads.length > 0);
    cache = step.cache;
    next = rows.map((row, index) => {
      if (row.done) return endToken;
      const logits = step.logits.subarray(
        index * step.vocabularySize,
        (index + 1) * step.vocabularySize,
      );
      const { token, logProb } = choose(logits, options.temperature, options.random);
      row.decoded.logProbs.push(logProb);
      if (token === endToken) {
        row.done = true;
        return token;
      }
      row.decoded.tokens.push(token);
      if (options.heads.length > 0) {
        row.decoded.attentions.push(
          options.heads.map((head) =>
            newestAttention(step.attentions[head.layer], head, index, row.frames),
          ),
        );
      }
      if (
        row.decoded.tokens.length >= (options.maxTokens[index] ?? 0) ||
        repeats(row.decoded.tokens)
      )
        row.done = true;
      return token;
    });
  }
  return rows.map(({ decoded }) => {
    trimRepeats(decoded);
    return decoded;
  });
}

const loopTimes = 4;
const maxLoopTokens = 12;

/** Length of the pattern that the tokens end in, four times over; 0 for none. */
function loopLength(tokens: readonly number[]): number {
  for (let length = 1; length <= maxLoopTokens; length += 1) {
    const from = tokens.length - length * loopTimes;
    if (from < 0) return 0;
    if (
      tokens.slice(from, -length).every((token, index) => token === tokens[from + index + length])
    )
      return length;
  }
  return 0;
}

/** A model that repeats itself four times has lost the thread: nothing better follows. */
function repeats(tokens: readonly number[]): boolean {
  const length = loopLength(tokens);
  // Short patterns ("ha ha ha ha", "no, no, no, no") are also spoken.
  return length * loopTimes >= 12;
}

function trimRepeats({ tokens, logProbs, attentions }: Decoded): void {
  if (!repeats(tokens)) return;
  const kept = tokens.length - loopLength(tokens) * (loopTimes - 1);
  tokens.length = kept;
  logProbs.length = kept;
  attentions.length = Math.min(attentions.length, kept);
}
