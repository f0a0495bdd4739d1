import { describe, expect, it } from "vitest";
import type { WhisperConfiguration } from "../../../../../main/engines/stt/whisper/configuration.ts";
import { applyTokenRules } from "../../../../../main/engines/stt/whisper/token-rules.ts";

// Text 0–9, end 10, no timestamps 11, timestamps 12–31.
const configuration = {
  endToken: 10,
  noTimestampsToken: 11,
  firstTimestamp: 12,
  maxInitialTimestamp: 5,
  suppressed: [3],
  suppressedAtStart: [0, 10],
} as unknown as WhisperConfiguration;
const size = 32;

/** Tokens that may follow, where text is more probable than a timestamp. */
function allowed(
  chosen: number[],
  timestamps: boolean,
  logits = Float32Array.from({ length: size }, (_, token) => (token < 12 ? 10 : 0)),
): number[] {
  applyTokenRules(logits, chosen, timestamps, configuration);
  return [...logits.entries()].filter(([, logit]) => logit > -Infinity).map(([token]) => token);
}
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("without timestamps", () => {
  it("never allows suppressed tokens, and forbids some only at the start", () => {
    expect(allowed([], false)).toEqual([1, 2, ...range(4, 10), ...range(11, size)]);
    expect(allowed([1], false)).toEqual([0, 1, 2, ...range(4, size)]);
  });
});

describe("with timestamps", () => {
  it("starts with an early timestamp", () => {
    expect(allowed([], true)).toEqual(range(12, 18));
  });

  it("requires text after the first timestamp", () => {
    expect(allowed([14], true)).toEqual([0, 1, 2, ...range(4, 11)]);
  });

  it("ends a segment later than it began", () => {
    expect(allowed([14, 1], true)).toEqual([0, 1, 2, ...range(4, 11), ...range(15, size)]);
  });

  it("requires a second timestamp or the end after one that ends a segment", () => {
    expect(allowed([14, 1, 20], true)).toEqual([10, ...range(20, size)]);
    expect(allowed([14, 1, 20, 20], true)).toEqual([0, 1, 2, ...range(4, 11)]);
  });

  it("requires a timestamp where all of them together are more probable than any text", () => {
    const logits = new Float32Array(size);
    expect(allowed([14, 1], true, logits)).toEqual(range(15, size));
  });
});
