import { expect, it } from "vitest";
import { createVocabulary } from "../../../main/library/vocabulary.ts";
import { openTestLibrary } from "../../support/library.ts";

const entries = [
  { word: "Siobhan", says: "shivawn", heard: "Shivon" },
  { word: "PyTorch", says: "", heard: "" },
];

it("lists all entries for recognition, and those with a pronunciation for narrations", () => {
  const vocabulary = createVocabulary(openTestLibrary());
  expect(vocabulary.list()).toEqual([]);
  vocabulary.replace(entries);
  expect(vocabulary.list()).toEqual(entries);
  expect(vocabulary.pronunciations()).toEqual([{ word: "Siobhan", says: "shivawn" }]);
});

it("does not change the pronunciations when a word without one is added", () => {
  const vocabulary = createVocabulary(openTestLibrary());
  vocabulary.replace(entries);
  const before = vocabulary.pronunciations();
  vocabulary.replace([{ word: "Okonkwo", says: "", heard: "" }, ...entries]);
  // The same array: narrations keep what they derived from it.
  expect(vocabulary.pronunciations()).toBe(before);
  expect(vocabulary.list()).toHaveLength(3);
});
