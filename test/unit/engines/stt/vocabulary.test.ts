import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  createVocabulary,
  endToken,
  parsePiece,
  readVocabulary,
  startToken,
} from "../../../../main/engines/stt/moonshine/vocabulary.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";

const pieces = JSON.parse(
  readFileSync(join(shippedModel("moonshine-base").dir, "vocabulary.json"), "utf8"),
) as string[];
const vocabulary = createVocabulary(pieces.map(parsePiece));
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

it.each([
  [
    "tokenizer.bin",
    Buffer.from([5, ...Buffer.from("<unk>"), 3, ...Buffer.from("<s>"), 0, 2, 195, 169]),
  ],
  ["tokens.txt", Buffer.from("PHVuaz4= 0\nPHM+ 1\nPC9zPg== 2\nw6k= 3\n")],
  ["tokenizer.json", Buffer.from('{"model":{"vocab":{"<unk>":0,"<s>":1,"</s>":2,"é":3}}}')],
])("reads pieces from %s", async (name, content) => {
  const read = await readVocabulary({
    names: [name],
    read: async () => content,
    path: () => Promise.reject(new Error("no file")),
    openGraph: () => Promise.reject(new Error("no graph")),
  });
  expect(read.decode([startToken, 3])).toBe("é");
});

it("reads pieces longer than 127 bytes, and none for reserved tokens", async () => {
  const long = "▁" + "a".repeat(140);
  const { length } = Buffer.from(long);
  const content = Buffer.from([
    0,
    0,
    0,
    128 + (length % 128),
    length >> 7,
    ...Buffer.from(long),
    8,
    ...Buffer.from("<<ST_0>>"),
  ]);
  const read = await readVocabulary({
    names: ["tokenizer.bin"],
    read: async () => content,
    path: () => Promise.reject(new Error("no file")),
    openGraph: () => Promise.reject(new Error("no graph")),
  });
  expect(read.decode([3, 4])).toBe(" " + "a".repeat(140));
});
