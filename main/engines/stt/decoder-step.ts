// One decoder step, shared by engines that decode token by token: the next token, its probability, and its attention.

import { Tensor } from "onnxruntime-node";

/** A head of the decoder's cross attention. */
export type AttentionHead = { layer: number; head: number };

/** At this distance below the largest logit, 2¹⁶ tokens together weigh less than a millionth of it. */
const negligibleLogitGap = 25;
/** exp(−step / steps per unit): a vocabulary of exponentials for each token is too slow by `Math.exp`. */
const expStepsPerUnit = 256;
const negligibleGapSteps = negligibleLogitGap * expStepsPerUnit;
const expOfSteps = Float64Array.from({ length: negligibleGapSteps }, (_, step) =>
  Math.exp(-step / expStepsPerUnit),
);

/**
 * The most probable token, or one sampled from softmax(logits / temperature); `logProb` is that of log-softmax(logits).
 */
export function chooseToken(
  logits: Float32Array,
  temperature: number,
  random: () => number,
): { token: number; logProb: number } {
  let best = 0;
  let maxValue = logits[0] as number;
  for (let token = 1; token < logits.length; token += 1) {
    const logit = logits[token] as number;
    if (logit > maxValue) {
      best = token;
      maxValue = logit;
    }
  }
  let token = best;
  if (temperature > 0) {
    let sum = 0;
    const weights = logits.map((logit) => Math.exp((logit - maxValue) / temperature));
    for (const weight of weights) sum += weight;
    let remaining = random() * sum;
    token = 0;
    while (token < weights.length - 1 && remaining >= (weights[token] as number)) {
      remaining -= weights[token] as number;
      token += 1;
    }
  }
  return { token, logProb: (logits[token] as number) - logSumExp(logits, maxValue) };
}

/** Numbers in 0..1, the same for the same seed (mulberry32), so that transcribing a file twice gives the same text. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** −∞ if empty. */
export function maxLogit(logits: Float32Array): number {
  let maxValue = -Infinity;
  for (const logit of logits) if (logit > maxValue) maxValue = logit;
  return maxValue;
}

/** log Σ exp(logits); `maxValue` is the largest of them. */
export function logSumExp(logits: Float32Array, maxValue: number = maxLogit(logits)): number {
  if (maxValue === -Infinity) return maxValue;
  let sum = 0;
  // Skipped tokens add less than a millionth to the sum.
  for (let token = 0; token < logits.length; token += 1) {
    const gap = (maxValue - (logits[token] as number)) * expStepsPerUnit;
    if (!(gap < negligibleGapSteps)) continue;
    const step = gap | 0;
    const rest = (gap - step) / expStepsPerUnit;
    sum += (expOfSteps[step] as number) * (1 - rest + (rest * rest) / 2);
  }
  return maxValue + Math.log(sum);
}

/** [rows, heads, tokens, frames] of the head's layer → attention of a row's token over its first `frames`. */
export function tokenAttention(
  layer: Tensor | undefined,
  { head }: AttentionHead,
  row: number,
  token: number,
  frames: number,
): Float32Array {
  if (layer === undefined) throw new Error("the decoder returned no cross attention");
  const [, heads = 0, tokens = 0, width = 0] = layer.dims;
  const from = ((row * heads + head) * tokens + token) * width;
  return (layer.data as Float32Array).slice(from, from + frames);
}

/** Of each row equally many tokens → [rows, tokens]. */
export const tokenIds = (tokens: readonly (readonly number[])[]): Tensor =>
  new Tensor("int64", BigInt64Array.from(tokens.flat(), BigInt), [
    tokens.length,
    tokens[0]?.length ?? 0,
  ]);

/** Over the whole vocabulary, after one of the tokens fed. */
export type RowsOfLogits = (row: number, token: number) => Float32Array;

/** Writable views into logits of the shape [rows, tokens, vocabulary]. */
export function rowsOfLogits({ data, dims }: Tensor): RowsOfLogits {
  const [, tokens = 0, vocabularySize = 0] = dims;
  return (row, token) => {
    const start = (row * tokens + token) * vocabularySize;
    return (data as Float32Array).subarray(start, start + vocabularySize);
  };
}

/** Keys or values [rows, heads, tokens, width] → those of the first tokens, as a copy. */
export function firstTokens({ data, dims }: Tensor, count: number): Tensor {
  const [rows, heads, tokens, width] = dims as [number, number, number, number];
  const values = data as Float32Array;
  const kept = new Float32Array(rows * heads * count * width);
  for (let head = 0; head < rows * heads; head += 1) {
    const from = head * tokens * width;
    kept.set(values.subarray(from, from + count * width), head * count * width);
  }
  return new Tensor("float32", kept, [rows, heads, count, width]);
}
