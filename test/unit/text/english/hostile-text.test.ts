import { beforeAll, describe, expect, it } from "vitest";
import type { EnglishFrontEnd } from "../../../../main/text/english/front-end.ts";
import { cpuMs } from "../../../support/cpu-time.ts";
import { createHibariFrontEnd } from "../../../support/hibari-g2p.ts";

let frontEnd: EnglishFrontEnd;
beforeAll(async () => {
  frontEnd = await createHibariFrontEnd();
});

describe("text that is not prose", () => {
  it("may contain words that are properties of every object", async () => {
    expect(await frontEnd.phonemes("constructor __proto__ toString valueOf hasOwnProperty")).toBe(
      "kənstɹˈʌktəɹ pɹˈOTO təstɹˈɪŋ vˈæljuˌʌv hæzˈOnpɹˈɑpəɹTi",
    );
  });

  it("is skipped where it has no pronunciation in English", async () => {
    expect(await frontEnd.phonemes("I bought 5 日本語 books, привет, שלום 🙂!")).toBe(
      "ˌI bˈɔt fˈIv bˈʊks!",
    );
    for (const text of ["", " ", "🙂", "日本語", "\u0000", "\ud800", "***", "\u202e"])
      expect(await frontEnd.phonemes(text)).toBe("");
  });

  it("is converted only to phonemes of the alphabet", async () => {
    const text =
      "The quick <brown> fox_jumps ^ over | the `lazy` dog ~ 5€ ₿3 é ñ ß Łódź Đặng ™ © § ½ ² № ∞ ≤ 3.";
    expect(await frontEnd.phonemes(text)).toMatch(
      /^[AIOTWYbdfhijklmnpstuvwzæðŋɐɑɔəɛɜɡɪɹʃʊʌʒʤʧˈˌθᵊᵻa ;:,.!?—…()]+$/u,
    );
  });

  const runs = [
    ".",
    ". ",
    "a",
    "1",
    "(",
    "[",
    '"',
    "'",
    "-",
    "a-",
    "1-",
    "/",
    "a@",
    "a.",
    "1.",
    "1,",
    "$1",
    "#a",
    "%",
    " ",
    "\n",
    "\u0000",
    "\ud800",
    "🙂",
    "日",
    "XI ",
    "\u0301",
    "http://",
    "a.b@",
    "www.",
    "St. ",
    "Jan 1 ",
    "1:",
    "+1 ",
    "½",
    "1°",
    "A&",
    "^1",
    "](/",
    "[a](/b/)",
    "aB",
    "a1",
    "’s",
    "n't",
    "1/2",
    "ا",
    "5km",
    "$1,000.00 to ",
    "Henry V",
    "can't",
    "to ",
  ];

  it.each(runs)(
    "of 20,000 characters of %j is processed without an error, in linear time",
    async (run) => {
      const text = run.repeat(Math.ceil(20_000 / run.length));
      expect(await cpuMs(() => frontEnd.phonemes(text))).toBeLessThan(3000);
    },
  );

  it("of random Unicode characters is processed without an error", async () => {
    let seed = 42;
    const random = (below: number): number =>
      (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    const pools = [
      [0x20, 0x7f],
      [0x20, 0x7f],
      [0, 0x250],
      [0x250, 0x3000],
      [0x3000, 0xffff],
      [0x10000, 0x1ffff],
      [0xd800, 0xdfff],
    ] as const;
    for (let round = 0; round < 60; round++) {
      const [from, to] = pools[round % pools.length] ?? [0x20, 0x7f];
      const text = Array.from({ length: 500 }, () =>
        random(6) === 0 ? " " : String.fromCodePoint(from + random(to - from)),
      ).join("");
      let phonemes: unknown;
      expect(await cpuMs(async () => (phonemes = await frontEnd.phonemes(text)))).toBeLessThan(
        2000,
      );
      expect(typeof phonemes).toBe("string");
    }
  });
});
