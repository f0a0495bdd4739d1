import { expect, it } from "vitest";
import { alignTokens } from "../../../../main/engines/stt/word-alignment.ts";

/** Attention on the frames of each token: one head that shows it, one that is uniform. */
function attentions(lengths: readonly number[]): Float32Array[][] {
  const frames = lengths.reduce((sum, length) => sum + length, 0);
  let from = 0;
  return lengths.map((length) => {
    const row = new Float32Array(frames).fill(0.01);
    row.fill(1, from, from + length);
    from += length;
    return [row, new Float32Array(frames).fill(1 / frames)];
  });
}

it("finds the start of each token and the end of the last one", () => {
  const lengths = [12, 30, 9, 21];
  const begins = alignTokens(attentions(lengths));
  const truth = [0, 12, 42, 51, 72];
  expect(begins).toHaveLength(5);
  for (const [index, begin] of begins.entries())
    expect(Math.abs(begin - (truth[index] as number))).toBeLessThanOrEqual(1);
});

it("finds the same in attention rows that do not sum to 1", () => {
  const whole = attentions([12, 30, 9, 21]);
  const faint = whole.map((row, token) =>
    row.map((head) => head.map((value) => value / (token + 2))),
  );
  expect(alignTokens(faint)).toEqual(alignTokens(whole));
});

it("never goes back in time, whatever the attention", () => {
  const random = Array.from({ length: 20 }, (_, token) => [
    Float32Array.from({ length: 50 }, (__, frame) =>
      Math.abs(Math.sin(token * 12.9 + frame * 78.2)),
    ),
  ]);
  const begins = alignTokens(random);
  expect(begins).toEqual([...begins].sort((a, b) => a - b));
  expect(begins.at(-1)).toBeLessThanOrEqual(50);
});

it("aligns more tokens than there are frames", () => {
  const begins = alignTokens(attentions([1, 1, 1]).concat(attentions([1, 1, 1])));
  expect(begins).toHaveLength(7);
});

it("returns only the start without tokens", () => {
  expect(alignTokens([])).toEqual([0]);
});
