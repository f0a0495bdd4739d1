import { beforeAll, describe, expect, it } from "vitest";
import type { EnglishFrontEnd } from "../../../../main/text/english/front-end.ts";
import { createHibariFrontEnd, readPhonemeReference } from "../../../support/hibari-g2p.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

/** Levenshtein distance over characters. */
function distance(left: readonly string[], right: readonly string[]): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, character] of left.entries()) {
    const next = [i + 1];
    for (const [j, other] of right.entries()) {
      next.push(
        Math.min(
          (row[j + 1] ?? 0) + 1,
          (next[j] ?? 0) + 1,
          (row[j] ?? 0) + (character === other ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe("the English front end compared with the reference", () => {
  let frontEnd: EnglishFrontEnd;
  beforeAll(async () => {
    frontEnd = await createHibariFrontEnd();
  });

  it("has a phoneme error rate of at most 0.5 % over 420 sentences", async () => {
    const sentences = readPhonemeReference();
    expect(sentences).toHaveLength(420);
    let errors = 0;
    let length = 0;
    for (const { text, phonemes } of sentences) {
      const wanted = [...phonemes.replaceAll(" ", "")];
      errors += distance([...(await frontEnd.phonemes(text)).replaceAll(" ", "")], wanted);
      length += wanted.length;
    }
    const percent = (100 * errors) / length;
    process.stdout.write(`phoneme error rate: ${percent.toFixed(3)} % (${errors} of ${length})\n`);
    expect(length).toBeGreaterThan(40_000);
    expect(percent).toBeLessThanOrEqual(0.5);
  });

  it("processes 4,000 characters in well under 100 ms", async () => {
    const text = readPhonemeReference()
      .map((sentence) => sentence.text)
      .join(" ")
      .slice(0, 4000);
    await frontEnd.phonemes(text);
    const times: number[] = [];
    for (let round = 0; round < 5; round++) times.push(await cpuMs(() => frontEnd.phonemes(text)));
    expect(Math.min(...times)).toBeLessThan(100);
  });
});
