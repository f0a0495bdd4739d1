// Cases where the reference transcription is plainly wrong or clumsy, with our result and the reason for it.

import { beforeAll, describe, expect, it } from "vitest";
import type { EnglishFrontEnd } from "../../../../main/text/english/front-end.ts";
import { createHibariFrontEnd } from "../../../support/hibari-g2p.ts";

let frontEnd: EnglishFrontEnd;
beforeAll(async () => {
  frontEnd = await createHibariFrontEnd();
});

const cases: readonly (readonly [why: string, text: string, phonemes: string])[] = [
  [
    "a negative number after a word is said, not lost",
    "then -12°C.",
    "ðˈɛn mˈInəs twˈɛlv dəɡɹˈiz sˈɛlsiəs.",
  ],
  ['"I\'ll" in quotes is "I\'ll", not "ill"', '"I\'ll be there."', "ˌIl bi ðˈɛɹ."],
  [
    'a range of pages is "twelve to fifteen", not "twelve-fifteen"',
    "pages 12-15.",
    "pˈAʤᵻz twˈɛlv tə fˌɪftˈin.",
  ],
  ['"3d of May" is an old way to write "third", not "three D"', "the 3d of May", "ðə θˈɜɹd ʌv mˈA"],
  ["a Roman numeral after a name is a number", "SALT II does", "sˈɔlt tˈu dˈʌz"],
  ['a page reference is "page three"', "[p.3]", "pˈAʤ θɹˈi"],
  ["a heading in capitals is read, not spelled", "ALASKA LANDS", "əlˈæskə lˈændz"],
  [
    "an address is said as people say it, without its scheme",
    "https://example.com/docs",
    "ɪɡzˈæmpəl dˈɑt kˈɑm slˈæʃ dˈɑks",
  ],
  [
    'a verb after "did not" takes the verb\'s stress',
    "He did not object to it.",
    "hˌi dˈɪd nˌɑt əbʤˈɛkt tʊ ɪt.",
  ],
  [
    "an abbreviated month makes no pause",
    "on Oct. 12th, 2019",
    "ˌɔn ɑktˈObəɹ twˈɛlfθ, twˈɛnti nˌIntˈin",
  ],
  ["a sentence keeps its end after an abbreviation", "at 9:30 a.m.", "æt nˈIn θˈɜɹTi ˌAˈɛm."],
  ["a sum before a noun is an adjective", "a $10 billion grant", "ɐ tˈɛn bˈɪljən dˈɑləɹ ɡɹˈænt"],
];

describe("better than the reference:", () => {
  it.each(cases)("%s", async (_, text, phonemes) => {
    expect(await frontEnd.phonemes(text)).toBe(phonemes);
  });
});
