import { expect, it, vi } from "vitest";
import { createTextSegment } from "../../../main/contract/transcript.ts";
import {
  createVocabularyCorrection,
  type FindUnknownWords,
} from "../../../main/inference/vocabulary-correction.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";

const [moonshine, whisper] = [shippedModel("moonshine-base"), shippedModel("whisper-base")];
const { signal } = new AbortController();
const terms = [
  { word: "Jørgensen", heard: "" },
  { word: "PyTorch", heard: "pie torch" },
];
const segments = (text: string, language = "en") => [
  createTextSegment(text, { startSec: 0, endSec: 1 }, language),
];

it("corrects near sounds only in English, and for models that take no prompt", async () => {
  const correct = createVocabularyCorrection(terms, async (words) => words, signal);
  const text = "Jurgensen uses pie torch";
  expect(await correct(segments(text), moonshine)).toMatchObject([
    { text: "Jørgensen uses PyTorch" },
  ]);
  expect(await correct(segments(text), whisper)).toMatchObject([
    { text: "Jurgensen uses PyTorch" },
  ]);
  expect(await correct(segments(text, "da"), moonshine)).toMatchObject([
    { text: "Jurgensen uses PyTorch" },
  ]);
});

it("asks for each word once, and only for words near a term", async () => {
  const findUnknownWords = vi.fn<FindUnknownWords>(async () => ["Jurgensen"]);
  const correct = createVocabularyCorrection(terms, findUnknownWords, signal);
  await correct(segments("Nothing like it here."), moonshine);
  expect(findUnknownWords).not.toHaveBeenCalled();
  await correct(segments("Jurgensen"), moonshine);
  await correct(segments("Jurgensen"), moonshine);
  expect(findUnknownWords.mock.calls.map(([words]) => words)).toEqual([["Jurgensen"]]);
});

it("leaves words if the dictionary fails", async () => {
  const correct = createVocabularyCorrection(
    terms,
    () => Promise.reject(new Error("gone")),
    signal,
  );
  expect(await correct(segments("Jurgensen, pie torch"), moonshine)).toMatchObject([
    { text: "Jurgensen, PyTorch" },
  ]);
});
