// eSpeak's phonemes → those that Kokoro was trained on. Which diphthongs and affricates have a letter of their own
// there follows misaki's `EspeakG2P` and `EspeakFallback`; so does what is left out.

type Knows = (phoneme: string) => boolean;
type Letters = Readonly<Record<string, string>>;

const otherLanguages: Letters = {
  dz: "ʣ",
  dʒ: "ʤ",
  ts: "ʦ",
  tʃ: "ʧ",
  aɪ: "I",
  aʊ: "W",
  eɪ: "A",
  oʊ: "O",
  əʊ: "Q",
  ɔɪ: "Y",
};

/** For words that are in no British dictionary. */
const british: Letters = {
  dʒ: "ʤ",
  tʃ: "ʧ",
  a: "æ",
  aɪ: "I",
  aʊ: "W",
  eə: "ɛː",
  eɪ: "A",
  iə: "ɪə",
  əʊ: "Q",
  ɔɪ: "Y",
  aɪə: "Iə",
  aʊə: "Wə",
  e: "ɛ",
  o: "ɔ",
  ɐ: "ə",
  əl: "ᵊl",
  "n\u0329": "ᵊn",
  "l\u0329": "ᵊl",
  r: "ɹ",
  x: "k",
  ç: "k",
  ɬ: "l",
};

/** A word of Spanish, French, Hindi, Italian or Portuguese. @param knows whether the model has a phoneme */
export const toKokoroAlphabet = (word: readonly string[], knows: Knows): string =>
  word.map((phoneme) => keepKnown(replaceSound(phoneme, otherLanguages), knows)).join("");

export const toBritishAlphabet = (word: readonly string[], knows: Knows): string =>
  word
    .map((phoneme) => replaceSound(phoneme.replaceAll(/[\u0303ʲ]/g, ""), british))
    .map((phoneme) => keepKnown(phoneme, knows))
    .join("");

/** Stress and length stay as they are. */
function replaceSound(phoneme: string, letters: Letters): string {
  const [, stress = "", sound = "", length = ""] = /^([ˈˌ]*)(.*?)(ː*)$/u.exec(phoneme) ?? [];
  return stress + (letters[sound] ?? sound) + length;
}

/** What the model does not know is silent, as it was in its training. */
const keepKnown = (phoneme: string, knows: Knows): string =>
  Array.from(phoneme, (letter) =>
    // A vowel with a tilde is a vowel and a tilde in the alphabet.
    knows(letter) ? letter : Array.from(letter.normalize("NFD")).filter(knows).join(""),
  ).join("");
