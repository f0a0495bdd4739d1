// What a decoder's step gives, for every engine that decodes token by token: the next token, its probability, and
// what the step attended to.

import type { Tensor } from "onnxruntime-node";

/** A head of the decoder's cross attention. */
export type Head = { layer: number; head: number };

/** Below the largest logit by so much, 2¹⁶ tokens weigh less than a millionth of it. */
const negligible = 25;

/** The most probable token, or one drawn from softmax(logits / temperature); `logProb` is that of log-softmax(logits). */
export function choose(
  logits: Float32Array,
  temperature: number,
  random: () => number,
): { token: number; logProb: number } {
  let best = 0;
  for (let token = 1; token < logits.length; token += 1) {
    if ((logits[token] as number) > (logits[best] as number)) best = token;
  }
  const top = logits[best] as number;
  let token = best;
  if (temperature > 0) {
    let sum = 0;
    const weights = logits.map((logit) => Math.exp((logit - top) / temperature));
    for (const weight of weights) sum += weight;
    let left = random() * sum;
    token = 0;
    while (token < weights.length - 1 && left >= (weights[token] as number)) {
      left -= weights[token] as number;
      token += 1;
    }
  }
  return { token, logProb: (logits[token] as number) - logSum(logits, top) };
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
export function largest(logits: Float32Array): number {
  let top = -Infinity;
  for (const logit of logits) if (logit > top) top = logit;
  return top;
}

/** log Σ exp(logits); `top` is the largest of them. */
export function logSum(logits: Float32Array, top: number = largest(logits)): number {
  if (top === -Infinity) return top;
  let sum = 0;
  // What is left out is less than a millionth of the sum, and nearly all of the exponentials.
  for (const logit of logits) if (logit > top - negligible) sum += Math.exp(logit - top);
  return top + Math.log(sum);
}

/** [rows, heads, tokens, frames] of the head's layer → what the newest token of a row attends to, over its first `frames`. */
export function newestAttention(
  layer: Tensor | undefined,
  { head }: Head,
  row: number,
  frames: number,
): Float32Array {
  if (layer === undefined) throw new Error("the decoder gave no cross attention");
  const [, heads = 0, tokens = 0, width = 0] = layer.dims;
  const from = ((row * heads + head) * tokens + tokens - 1) * width;
  return (layer.data as Float32Array).slice(from, from + frames);
}
