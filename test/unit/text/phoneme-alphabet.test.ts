import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { checkInlinePhonemes } from "../../../main/text/inline-phoneme-check.ts";
import { isPhoneme } from "../../../main/text/phoneme-alphabet.ts";

it("has exactly the phonemes of the built-in voices", () => {
  const ids = JSON.parse(
    readFileSync(join(shippedModel("hibari").dir, "vocab.json"), "utf8"),
  ) as Record<string, number>;
  const characters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code));
  expect(characters.filter(isPhoneme).toSorted()).toEqual(Object.keys(ids).toSorted());
});

it("accepts inline phonemes of the alphabet, and text without any", () => {
  expect(() =>
    checkInlinePhonemes("[Kokoro](/kˈOkəɹO/) and [Köln](/kˈœln/), (/x9/) [9](9)"),
  ).not.toThrow();
});

it("names the first other sign, with its place in the text", () => {
  expect(() => checkInlinePhonemes("Ah, [Hearsay](/hˈɪ9s/) [x](/8/)")).toThrow(
    "'9' in '[Hearsay](/hˈɪ9s/)', at character 19 of the text, is none of the phonemes that voices here know.",
  );
});
