// Moonshine's vocabulary: token ids → text. 32,000 entries as in Llama's tokenizer (`▁` is a space, `<0xNN>` a byte),
// then reserved ones.

import type { ModelFiles } from "../../model-files.ts";

export const startToken = 1;
export const endToken = 2;

export type Vocabulary = {
  /** Text of the tokens, including outer spaces. Control and reserved tokens have none. */
  decode(tokens: readonly number[]): string;
  /** Whether a word begins at this token. */
  beginsWord(token: number): boolean;
};

/** Reads the list in the form that the model has. */
export async function readVocabulary({ names, read }: ModelFiles): Promise<Vocabulary> {
  if (names.includes("vocabulary.json"))
    return createVocabulary(
      (JSON.parse((await read("vocabulary.json")).toString()) as string[]).map(parsePiece),
    );
  if (names.includes("tokenizer.bin"))
    return createVocabulary(parseLengthPrefixed(await read("tokenizer.bin")));
  if (names.includes("tokens.txt"))
    return createVocabulary(parseBase64Lines((await read("tokens.txt")).toString()));
  const { model } = JSON.parse((await read("tokenizer.json")).toString()) as {
    model: { vocab: Record<string, number> };
  };
  const pieces: Uint8Array[] = [];
  for (const [piece, token] of Object.entries(model.vocab)) pieces[token] = parsePiece(piece);
  return createVocabulary(pieces);
}

/** @param pieces UTF-8 of the entry of id i at index i */
export function createVocabulary(pieces: readonly (Uint8Array | undefined)[]): Vocabulary {
  const texts = pieces.map((piece = new Uint8Array(0)) => Buffer.from(piece).toString());
  const bytesOf = (token: number): Uint8Array => {
    const text = texts[token] ?? "";
    if (token <= endToken || /^<.+>$/.test(text)) return new Uint8Array(0);
    return text.includes("▁")
      ? Buffer.from(text.replaceAll("▁", " "))
      : (pieces[token] ?? new Uint8Array(0));
  };
  return {
    // The bytes of one character may be in several tokens, so they are joined before decoding.
    decode: (tokens) => new TextDecoder().decode(Buffer.concat(tokens.map(bytesOf))),
    beginsWord: (token) => texts[token]?.startsWith("▁") ?? false,
  };
}

/** `<0xNN>` is a byte. */
export function parsePiece(piece: string): Uint8Array {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(piece)?.[1];
  return byte === undefined ? Buffer.from(piece) : Uint8Array.of(Number.parseInt(byte, 16));
}

/** Moonshine's own downloads: the length of each piece before it, in two bytes if it is 128 or more. */
export function parseLengthPrefixed(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const low = bytes[at++] as number;
    const length = low < 128 ? low : low - 128 + 128 * (bytes[at++] ?? 0);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

/** sherpa-onnx's repositories: piece in base64, space, id. */
export const parseBase64Lines = (text: string): Uint8Array[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => Buffer.from(line.split(" ")[0] ?? "", "base64"));
