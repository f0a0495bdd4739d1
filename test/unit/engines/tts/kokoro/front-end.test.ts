import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createFrontEnd } from "../../../../../main/engines/tts/kokoro/front-end.ts";
import { shippedModel } from "../../../../../main/models/shipped-models.ts";
import { ownSentences } from "../../../../support/own-sentences.ts";
import {
  type ClipLanguage,
  clipsInLanguage,
  hasSharedAudio,
} from "../../../../support/recordings.ts";
import { isPhoneme } from "../../../../../main/text/phoneme-alphabet.ts";

const reader = (model: string) => (name: string) => readFile(join(shippedModel(model).dir, name));
const frontEnd = createFrontEnd({
  read: reader("kokoro"),
  readHibari: reader("hibari"),
  knows: isPhoneme,
});
afterAll(() => frontEnd.close());

it.each([
  [
    "en-US",
    "The schedule says 105, Dr. Smith.",
    "ðə skˈɛʤˌul sˈɛz wˈʌn hˈʌndɹəd fˈIv, dˈɑktəɹ smˈɪθ.",
  ],
  [
    "en-GB",
    "The schedule says 105, Dr. Smith.",
    "ðə ʃˈɛdjuːl sˈɛz wˈʌn hˈʌndɹəd and fˈIv, dˈɒktə smˈɪθ.",
  ],
  ["es", "Tengo 22 años, ¿y tú?", "tˈɛŋɡo βˌAntiðˈos ˈaɲos, i tˈu?"],
  ["fr", "L'hôtel d’été, aujourd'hui !", "lotˈɛl detˈe, oʒuʁdyˈi!"],
  ["it", "Gli amici: perché no?", "ʎɪ amˈiʧɪ: perkˌe nˈɔ?"],
  ["pt", "São R$ 5,00.", "sɐ̃ʊ̃ sˈiŋkʊ xeˈIs."],
  ["hi", "25 किताबें हैं।", "pəcːˈiːs kɪtˈaːbẽː hɛ̃."],
] as const)("reads %s: %s", async (language, text, phonemes) => {
  expect((await frontEnd.phonemes(text, language)).normalize("NFC")).toBe(
    phonemes.normalize("NFC"),
  );
});

it("spells words that no British dictionary has as eSpeak says them", async () => {
  expect(await frontEnd.phonemes("a xyzzyfication", "en-GB")).toBe("ɐ zˌIzɪfɪkˈAʃən");
});

it.each(["en-GB", "es"] as const)(
  "keeps inline phonemes in %s, with signs around them",
  async (language) => {
    expect(await frontEnd.phonemes("(o [Hearsay](/hˈɪɹsˌA/), no)", language)).toMatch(
      /^\(\S+ hˈɪɹsˌA, \S+\)$/,
    );
  },
);

it("leaves out words in scripts that the language is not written in, and signs without a sound", async () => {
  expect(await frontEnd.phonemes("«Hola» 日本 😀, привет adiós", "es")).toBe("ˈola, aðjˈos");
  expect(await frontEnd.phonemes("日本", "fr")).toBe("");
});

/** Of people's recordings; where there are none, of our own. */
const sentencesOf = (language: string): readonly string[] =>
  language === "it" || language === "hi"
    ? ownSentences[language]
    : clipsInLanguage(language.slice(0, 2) as ClipLanguage).map(({ text }) => text);

it.skipIf(!hasSharedAudio).each(["en-US", "en-GB", "es", "fr", "it", "pt", "hi"] as const)(
  "finds phonemes of its alphabet for every word of whole sentences in %s",
  async (language) => {
    const sentences = sentencesOf(language);
    expect(sentences.length).toBeGreaterThanOrEqual(5);
    for (const sentence of sentences) {
      const phonemes = await frontEnd.phonemes(sentence, language);
      expect(Array.from(phonemes).filter((sign) => !isPhoneme(sign))).toEqual([]);
      const words = sentence.match(/[\p{L}\p{N}\p{M}'’-]+/gu) ?? [];
      const read = await Promise.all(words.map((word) => frontEnd.phonemes(word, language)));
      expect(words.filter((_, index) => !/\p{L}/u.test(read[index] ?? ""))).toEqual([]);
    }
  },
);

it("keeps to the alphabet", async () => {
  const phonemes = await frontEnd.phonemes(
    "Garçon, un croûton à l’œil: München, håndværk, ß.",
    "fr",
  );
  expect(Array.from(phonemes).filter((sign) => !isPhoneme(sign))).toEqual([]);
});
