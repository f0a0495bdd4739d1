import { expect, it } from "vitest";
import { sharedContentWords, totalShared } from "../../bench/content-words.ts";

it("counts words with a meaning of their own, each as often as it comes", () => {
  expect(
    sharedContentWords(
      "The cave is on the top of a mountain.",
      "It is the mountain with the caves on top.",
    ),
  ).toEqual({ shared: 2, of: 3 });
  expect(sharedContentWords("A tiger and a tiger", "One tiger")).toEqual({ shared: 1, of: 2 });
  expect(sharedContentWords("He was with them.", "He was with them.")).toEqual({
    shared: 0,
    of: 0,
  });
});

it("adds texts up", () => {
  expect(
    totalShared([
      { shared: 1, of: 2 },
      { shared: 3, of: 5 },
    ]),
  ).toEqual({ shared: 4, of: 7 });
});
