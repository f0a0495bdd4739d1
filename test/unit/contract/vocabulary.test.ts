import { expect, it } from "vitest";
import { joinPrompt, listTerms } from "../../../main/contract/vocabulary.ts";

const terms = ["Saoirse", "Jørgensen", "PyTorch"].map((word) => ({ word, heard: "" }));

it("lists the first terms for which there is room", () => {
  expect(listTerms(terms, () => true)).toBe("Saoirse, Jørgensen, PyTorch.");
  expect(listTerms(terms, (list) => list.length <= 20)).toBe("Saoirse, Jørgensen.");
  expect(listTerms(terms, () => false)).toBe("");
  expect(listTerms([], () => true)).toBe("");
});

it("puts the caller's own prompt last, where it is not cut", () => {
  expect(joinPrompt("A talk.", terms)).toBe("Saoirse, Jørgensen, PyTorch. A talk.");
  expect(joinPrompt(undefined, terms)).toBe("Saoirse, Jørgensen, PyTorch.");
  expect(joinPrompt("A talk.")).toBe("A talk.");
  expect(joinPrompt(undefined)).toBeUndefined();
  const many = Array.from({ length: 500 }, (_, index) => ({ word: `Term${index}`, heard: "" }));
  expect(joinPrompt(undefined, many)?.length).toBeLessThanOrEqual(601);
});
