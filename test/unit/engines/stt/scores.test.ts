import { expect, it } from "vitest";
import { avgLogprob, compressionRatio } from "../../../../main/engines/stt/scores.ts";

it("averages log probabilities, including that of the end token", () => {
  expect(avgLogprob({ tokens: [7, 8], logProbs: [-0.1, -0.3, -0.2] })).toBeCloseTo(-0.2, 12);
  expect(avgLogprob({ tokens: [], logProbs: [-0.4] })).toBeCloseTo(-0.4, 12);
});

it("counts a missing end token", () => {
  expect(avgLogprob({ tokens: [7, 8], logProbs: [-0.3, -0.3] })).toBeCloseTo(-0.2, 12);
  expect(avgLogprob({ tokens: [], logProbs: [] })).toBe(0);
});

it("gives repetitive text a high compression ratio", () => {
  // 11 bytes do not get smaller: zlib adds 8.
  expect(compressionRatio(" hello there ")).toBeCloseTo(11 / 19, 12);
  expect(compressionRatio("again and ".repeat(50))).toBeGreaterThan(10);
  expect(
    compressionRatio("It was a bright cold day in April, and the clocks were striking thirteen."),
  ).toBeLessThan(1.2);
  expect(compressionRatio("  ")).toBe(0);
});

it("counts bytes, not characters", () => {
  expect(compressionRatio("日本")).toBeCloseTo(6 / 14, 12);
});
