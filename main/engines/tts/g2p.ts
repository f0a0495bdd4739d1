// Grapheme to phoneme: oov.onnx predicts the pronunciation of words in no lexicon. See text/english for when it is
// used.

import { InferenceSession, Tensor } from "onnxruntime-node";
import { singleThreadOptions } from "../session-options.ts";

/** Input letters and output phonemes, in the order of the graph's indices. */
export type G2pAlphabet = { in: readonly string[]; out: readonly string[]; maxlen: number };

export type G2p = {
  /** Word → phonemes, one result per word; empty for a word without a known letter. */
  predict(words: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
};

export async function createG2p(onnx: Uint8Array, alphabet: G2pAlphabet): Promise<G2p> {
  const session = await InferenceSession.create(onnx, singleThreadOptions);
  const letterIndex = new Map(alphabet.in.map((letter, index) => [letter, index + 1]));

  async function predictPart(letters: readonly number[]): Promise<string> {
    const outputs = await session.run({
      chars: new Tensor("int64", BigInt64Array.from(letters, BigInt), [1, letters.length]),
    });
    const ids = outputs["ids"]?.data;
    if (!(ids instanceof BigInt64Array))
      throw new TypeError("oov.onnx returned no int64 output ids");
    // Connectionist temporal classification: repeated ids are one phoneme, 0 is the blank.
    let phonemes = "";
    ids.forEach((id, i) => {
      if (id !== 0n && id !== ids[i - 1]) phonemes += alphabet.out[Number(id) - 1] ?? "";
    });
    return phonemes;
  }

  return {
    async predict(words) {
      const results: string[] = [];
      for (const word of words) {
        const letters = [...word].flatMap((letter) => letterIndex.get(letter) ?? []);
        let phonemes = "";
        for (let i = 0; i < letters.length; i += alphabet.maxlen)
          phonemes += await predictPart(letters.slice(i, i + alphabet.maxlen));
        results.push(phonemes);
      }
      return results;
    },
    close: () => session.release(),
  };
}
