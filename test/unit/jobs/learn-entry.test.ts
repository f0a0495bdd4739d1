import { expect, it } from "vitest";
import { learnEntry } from "../../../main/jobs/learn-entry.ts";
import type { VocabularyEntry } from "../../../main/contract/vocabulary.ts";

const unknown = new Set(["Jurgensen", "Shivon"]);
const learn = (word: string, heard: string, list: readonly VocabularyEntry[] = []) =>
  learnEntry(
    { unknownWords: async (words) => words.filter((each) => unknown.has(each)) },
    () => list,
    { word, heard },
    new AbortController().signal,
  );

it("remembers what was heard if it is no word", async () => {
  expect(await learn("Jørgensen", "Jurgensen")).toEqual([
    { word: "Jørgensen", says: "", heard: "Jurgensen" },
  ]);
});

it("does not remember words that may be meant elsewhere", async () => {
  expect(await learn("Claude", "cloud")).toEqual([{ word: "Claude", says: "", heard: "" }]);
  expect(await learn("Ina", "in a")).toEqual([{ word: "Ina", says: "", heard: "" }]);
  expect(await learn("Hearsay", "hearsay")).toEqual([{ word: "Hearsay", says: "", heard: "" }]);
});

it("remembers several words that sound like the one", async () => {
  expect(await learn("PyTorch", "pie torch")).toEqual([
    { word: "PyTorch", says: "", heard: "pie torch" },
  ]);
});

it("keeps the pronunciation of a word that is there, and puts it first", async () => {
  const list = [
    { word: "other", says: "", heard: "" },
    { word: "siobhan", says: "shivawn", heard: "" },
  ];
  expect(await learn("Siobhan", "Shivon", list)).toEqual([
    { word: "Siobhan", says: "shivawn", heard: "Shivon" },
    { word: "other", says: "", heard: "" },
  ]);
});
