// What a decoder's step gives, for every engine that decodes token by token: the next token, its probability, and
// what the step attended to.

import type { Tensor } from "onnxruntime-node";

/** A head of the decoder's cross attention. */
export type AttentionHead = { layer: number; head: number };

/** Below the largest logit by so much, 2¹⁶ tokens weigh less than a millionth of it. */
const negligibleLogitGap = 25;

/** The most probable token, or one drawn from softmax(logits / temperature); `logProb` is that of log-softmax(logits). */
export function chooseToken(
  logits: Float32Array,
  temperature: number,
  random: () => number,
): { token: number; logProb: number } {
  let best = 0;
  for (let token = 1; token < logits.length; token += 1) {
    if ((logits[token] as number) > (logits[best] as number)) best = token;
  }
  const maxValue = logits[best] as number;
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

/** Numbers in 0..1 that are the same for the same seed (mulberry32): who hears a file again reads the same again. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** −∞ for none. */
export function maxLogit(logits: Float32Array): number {
  let maxValue = -Infinity;
  for (const logit of logits) if (logit > maxValue) maxValue = logit;
  return maxValue;
}

/** log Σ exp(logits); `top` is the largest of them. */
export function logSumExp(logits: Float32Array, maxValue: number = maxLogit(logits)): number {
  if (maxValue === -Infinity) return maxValue;
  let sum = 0;
  // What is left out is less than a millionth of the sum, and nearly all of the exponentials.
  for (const logit of logits)
    if (logit > maxValue - negligibleLogitGap) sum += Math.exp(logit - maxValue);
  return maxValue + Math.log(sum);
}

/** [rows, heads, tokens, frames] of the head's layer → what the newest token of a row attends to, over its first `frames`. */
export function lastTokenAttention(
  layer: Tensor | undefined,
  { head }: AttentionHead,
  row: number,
  frames: number,
): Float32Array {
  if (layer === undefined) throw new Error("the decoder gave no cross attention");
  const [, heads = 0, tokens = 0, width = 0] = layer.dims;
  const from = ((row * heads + head) * tokens + tokens - 1) * width;
  return (layer.data as Float32Array).slice(from, from + frames);
}
