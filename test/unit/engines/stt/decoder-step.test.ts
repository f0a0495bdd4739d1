import { expect, it } from "vitest";
import {
  chooseToken,
  maxLogit,
  logSumExp,
  seededRandom,
} from "../../../../main/engines/stt/decoder-step.ts";

const logits = Float32Array.of(1, 3, -Infinity, 2);

it("chooses the most probable token", () => {
  expect(chooseToken(logits, 0, () => 0.99)).toEqual({
    token: 1,
    logProb: expect.closeTo(
      Math.log(Math.exp(3) / (Math.exp(1) + Math.exp(3) + Math.exp(2))),
      5,
    ) as number,
  });
});

it("draws tokens according to their probability, never excluded ones", () => {
  const random = seededRandom(1);
  const drawn = [0, 0, 0, 0];
  for (let turn = 0; turn < 5000; turn += 1)
    (drawn[chooseToken(logits, 0.5, random).token] as number) += 1;
  const weights = Array.from(logits, (logit) => Math.exp(logit / 0.5));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  for (const [token, weight] of weights.entries())
    expect((drawn[token] as number) / 5000).toBeCloseTo(weight / total, 1);
  expect(drawn[2]).toBe(0);
});

const numbers = (seed: number): number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: 1000 }, random);
};

it("draws the same tokens with the same seed, and others with another", () => {
  expect(numbers(20)).toEqual(numbers(20));
  expect(numbers(20)).not.toEqual(numbers(40));
  expect(numbers(20).every((number) => number >= 0 && number < 1)).toBe(true);
  expect(numbers(20).reduce((sum, number) => sum + number, 0) / 1000).toBeCloseTo(0.5, 1);
});

it("adds up log probabilities of minus infinity", () => {
  expect(maxLogit(logits)).toBe(3);
  expect(logSumExp(Float32Array.of(0, 0))).toBeCloseTo(Math.log(2), 6);
  expect(logSumExp(Float32Array.of(-Infinity, -Infinity))).toBe(-Infinity);
  expect(logSumExp(new Float32Array(0))).toBe(-Infinity);
});

it("adds up the probabilities of a whole vocabulary as exactly as Math.exp", () => {
  const random = seededRandom(3);
  const vocabulary = Float32Array.from({ length: 50_000 }, () => 40 * random() - 30);
  const sum = vocabulary.reduce((total, logit) => total + Math.exp(logit), 0);
  expect(logSumExp(vocabulary)).toBeCloseTo(Math.log(sum), 6);
});
