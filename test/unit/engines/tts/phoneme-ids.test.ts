import { describe, expect, it } from "vitest";
import { maxChunkPhonemes, splitPhonemes } from "../../../../main/engines/tts/phoneme-ids.ts";

const vocab = new Map(
  [...'.,;:—!?"“”() ˈabdɡᵻA'].map((character, index) => [character, index + 1]),
);

const lengths = (phonemes: string): number[] =>
  splitPhonemes(phonemes, vocab, { preferred: 20, max: 40 }).map(({ ids }) => ids.length - 2);
const words = (count: number): string => "abda ".repeat(count).trim();

describe("splitPhonemes", () => {
  it("pads with zeros, drops unknown phonemes and returns the last punctuation mark", () => {
    const [chunk, ...others] = splitPhonemes("aXb.”", vocab);
    expect(others).toEqual([]);
    expect(chunk?.ids).toEqual([
      0,
      vocab.get("a"),
      vocab.get("b"),
      vocab.get("."),
      vocab.get("”"),
      0,
    ]);
    expect(chunk?.lastSymbol).toBe(".");
  });

  it.each(["", "  ", "...", "—", "“”", "ˈ", "XYZ"])('returns nothing for "%s"', (phonemes) => {
    expect(splitPhonemes(phonemes, vocab)).toEqual([]);
  });

  it("splits long sentences after a comma, semicolon, colon or dash", () => {
    const clause = `${"ab ad ".repeat(20)}ab`;
    const chunks = splitPhonemes(
      [`${clause},`, `${clause};`, `${clause}:`, `${clause}—`, `${clause}.`].join(" "),
      vocab,
    );
    expect(chunks.map(({ lastSymbol }) => lastSymbol)).toEqual([":", "."]);
    for (const { ids } of chunks) expect(ids.length).toBeLessThanOrEqual(maxChunkPhonemes + 2);
  });

  it("splits at a space where there is no punctuation, and anywhere where there is no space", () => {
    expect(splitPhonemes("abdad ".repeat(100), vocab).map(({ ids }) => ids.length)).toEqual([
      301, 301,
    ]);
    const chunks = splitPhonemes("a".repeat(1000), vocab);
    expect(chunks.map(({ ids }) => ids.length - 2)).toEqual([400, 400, 200]);
  });

  it("prefers a longer part to a cut within a phrase", () => {
    expect(lengths(words(6))).toEqual([29]);
    expect(lengths(`${words(3)}, ${words(3)}`)).toEqual([15, 14]);
    expect(lengths(`${words(5)}, ${words(2)}`)).toEqual([25, 9]);
    expect(lengths(words(12))).toEqual([29, 29]);
  });
});
