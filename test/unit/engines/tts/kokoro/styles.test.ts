import { expect, it } from "vitest";
import { createStyles } from "../../../../../main/engines/tts/kokoro/styles.ts";

const [voiceCount, rows, size] = [2, 510, 256];
/** Each value is the voice's number times 1000 and the row. */
const values = Float16Array.from(
  { length: voiceCount * rows * size },
  (_, index) => 1000 * Math.floor(index / (rows * size)) + (Math.floor(index / size) % rows),
);
const styles = createStyles(new Uint8Array(values.buffer), ["one", "two"]);

it("finds the style for the number of phonemes, within those there are", () => {
  expect([1, 7, 510, 600, -3].map((count) => styles.find("one", count)?.[0])).toEqual([
    0, 6, 509, 509, 0,
  ]);
  expect(styles.find("two", 3)).toEqual(new Float32Array(size).fill(1002));
});

it("blends voices by their weights", () => {
  expect(styles.find("one(3)+two(1)", 1)?.[9]).toBe(250);
});

it("finds none for an unknown voice", () => {
  expect(styles.find("three", 1)).toBeUndefined();
  expect(styles.find("one+three", 1)).toBeUndefined();
  expect(styles.find("one+", 1)).toBeUndefined();
});
