// Text → Kokoro's phonemes, by the language of the voice: English by the dictionaries, other languages by eSpeak NG.

import { extractInlinePhonemes } from "../../../text/english/inline-phonemes.ts";
import { normalizeText } from "../../../text/normalize-text.ts";
import { loadBritishFrontEnd, loadEnglishFrontEnd, type ReadFile, readTagger } from "../english.ts";
import { loadEspeak } from "./espeak.ts";
import { toBritishAlphabet, toKokoroAlphabet } from "./espeak-alphabet.ts";

export type FrontEnd = {
  phonemes(text: string, language: VoiceLanguage): Promise<string>;
  close(): Promise<void>;
};

/** Language → eSpeak's name of it. */
const espeakLanguages = {
  es: "es",
  fr: "fr",
  hi: "hi",
  it: "it",
  pt: "pt-br",
} as const;
export type VoiceLanguage = keyof typeof espeakLanguages | "en-US" | "en-GB";

type FrontEndDeps = {
  /** The model's own files. */
  read: ReadFile;
  /** Files of Hibari, which has the American dictionaries. */
  readHibari: ReadFile;
  knows(phoneme: string): boolean;
};

/** Each language is loaded when it is first spoken. */
export function createFrontEnd({ read, readHibari, knows }: FrontEndDeps): FrontEnd {
  const tagger = once(() => readTagger(readHibari));
  const american = once(() => loadEnglishFrontEnd(readHibari, tagger.get()));
  const british = once(() =>
    loadBritishFrontEnd(read, tagger.get(), async (words) => {
      const espeak = await loadEspeak();
      return words.map((word) =>
        espeak
          .phonemes("en", word)
          .map((phonemes) => toBritishAlphabet(phonemes, knows))
          .join(""),
      );
    }),
  );

  return {
    async phonemes(text, language) {
      if (language === "en-US") return (await american.get()).phonemes(text);
      if (language === "en-GB") return (await british.get()).phonemes(text);
      const espeak = await loadEspeak();
      return readByWords(text, language, (words) =>
        espeak
          .phonemes(espeakLanguages[language], words)
          .map((phonemes) => toKokoroAlphabet(phonemes, knows))
          .join(" "),
      );
    },
    async close() {
      await (await american.ifStarted())?.close();
    },
  };
}

function once<Value>(load: () => Promise<Value>) {
  let loading: Promise<Value> | undefined;
  return {
    get: (): Promise<Value> => (loading ??= load()),
    ifStarted: async (): Promise<Value | undefined> => loading?.catch(() => undefined),
  };
}

/** Signs that make a pause → how Kokoro writes them. Other signs, such as quotation marks, make none. */
const pauses: Readonly<Record<string, string>> = {
  ";": ";",
  ":": ":",
  ",": ",",
  ".": ".",
  "!": "!",
  "?": "?",
  "…": "…",
  "—": "—",
  "–": "—",
  "(": "(",
  ")": ")",
  // Hindi
  "।": ".",
  "॥": ".",
};
/**
 * A placeholder of an inline pronunciation, a sign, or words up to the next of these. A point in a number is no sign.
 */
const partPattern =
  /[\uE000-\uF8FF]|[^\p{L}\p{N}\p{M}\s'’%&+=@#$€£°/\\.,:-]|[.,:](?!\d)|(?:[\p{L}\p{N}\p{M}\s'’%&+=@#$€£°/\\-]|[.,:](?=\d))+/gu;

/** eSpeak would only name their letters: "Chinese letter, Chinese letter". Placeholders are in none. */
const otherScript =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Devanagari}\p{Script=Common}\p{Script=Inherited}\uE000-\uF8FF]+/gu;

/** @param readWords returns the phonemes of words without signs */
function readByWords(text: string, language: string, readWords: (words: string) => string): string {
  const inline = extractInlinePhonemes(text);
  const normalized = normalizeText(inline.text.replaceAll(otherScript, " "), language);
  let phonemes = "";
  for (const [part] of normalized.matchAll(partPattern)) {
    const spoken =
      inline.phonemes(part) ??
      pauses[part] ??
      (/[\p{L}\p{N}]/u.test(part) ? readWords(part.replaceAll("’", "'").trim()) : "");
    const isPause = pauses[part] !== undefined && part !== "(";
    if (spoken !== "") phonemes += isPause || phonemes === "" ? spoken : ` ${spoken}`;
  }
  return phonemes.replaceAll(/\s+/g, " ").replaceAll("( ", "(");
}
