// Moonshine's vocabulary: token ids → text. 32,000 entries as in Llama's tokenizer (`▁` is a space, `<0xNN>` a byte).

export const startToken = 1;
export const endToken = 2;

export type Vocabulary = {
  /** Text of the tokens, including outer spaces. Control and reserved tokens have none. */
  decode(tokens: readonly number[]): string;
  /** Whether a word begins at this token. */
  beginsWord(token: number): boolean;
};

/** @param pieces entry of id i at index i */
export function createVocabulary(pieces: readonly string[]): Vocabulary {
  const utf8 = new TextEncoder();
  const bytesOf = (token: number): Uint8Array => {
    const piece = pieces[token];
    if (piece === undefined || token <= endToken) return new Uint8Array(0);
    const byte = /^<0x([0-9A-F]{2})>$/.exec(piece)?.[1];
    return byte === undefined
      ? utf8.encode(piece.replaceAll("▁", " "))
      : Uint8Array.of(Number.parseInt(byte, 16));
  };
  return {
    // The bytes of one character may be in several tokens, so they are joined before decoding.
    decode: (tokens) => new TextDecoder().decode(Buffer.concat(tokens.map(bytesOf))),
    beginsWord: (token) => pieces[token]?.startsWith("▁") ?? false,
  };
}
