import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  createVocabulary,
  endToken,
  startToken,
} from "../../../../main/engines/stt/moonshine/vocabulary.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";

const pieces = JSON.parse(
  readFileSync(join(shippedModel("moonshine-base").dir, "vocabulary.json"), "utf8"),
) as string[];
const vocabulary = createVocabulary(pieces);
const id = (piece: string): number => pieces.indexOf(piece);

it("joins tokens into words", () => {
  expect(vocabulary.decode([id("▁hello"), id("▁the"), id("re")])).toBe(" hello there");
  expect([id("▁hello"), id("re")].map(vocabulary.beginsWord)).toEqual([true, false]);
});

it("joins bytes into characters", () => {
  const bytes = [...Buffer.from("日")].map((byte) =>
    id(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`),
  );
  expect(vocabulary.decode(bytes)).toBe("日");
});

it("has no text for control tokens and unknown ids", () => {
  expect(vocabulary.decode([startToken, id("▁yes"), endToken, 999_999])).toBe(" yes");
});
