import { expect, it } from "vitest";
import { sharedContentWords, sumSharedWords } from "../../bench/content-words.ts";

it("counts each occurrence of a content word", () => {
  expect(
    sharedContentWords(
      "The cave is on the top of a mountain.",
      "It is the mountain with the caves on top.",
    ),
  ).toEqual({ shared: 2, total: 3 });
  expect(sharedContentWords("A tiger and a tiger", "One tiger")).toEqual({ shared: 1, total: 2 });
  expect(sharedContentWords("He was with them.", "He was with them.")).toEqual({
    shared: 0,
    total: 0,
  });
});

it("adds up the counts of several texts", () => {
  expect(
    sumSharedWords([
      { shared: 1, total: 2 },
      { shared: 3, total: 5 },
    ]),
  ).toEqual({ shared: 4, total: 7 });
});
