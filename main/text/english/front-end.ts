// English text → phonemes in misaki's alphabet, for the built-in voices: normalization of numbers and
// abbreviations, tokens, parts of speech, lexicon, and grapheme to phoneme for words in no lexicon.

import { type Accent, toVoiceAlphabet } from "./phonemes.ts";
import { groupTokens } from "./token-groups.ts";
import { type LexiconData, createLexicon } from "./lexicon.ts";
import { pronounce } from "./pronounce.ts";
import { normalizeBritish } from "./normalization/british.ts";
import { normalizeText } from "./normalization/normalize-text.ts";
import { type TaggerData, createTagger } from "./tagger.ts";
import { tokenize } from "./tokens.ts";
import { createWordReader } from "./word-reader.ts";
import { extractInlinePhonemes } from "./inline-phonemes.ts";

export type EnglishFrontEndData = {
  readonly gold: LexiconData;
  readonly silver: LexiconData;
  readonly tagger: TaggerData;
  /** Letters → phonemes for words in no lexicon, one result per word; an empty result leaves the word out. */
  readonly predictPhonemes: (words: readonly string[]) => Promise<string[]>;
  /** Of the dictionaries; default: American. */
  readonly accent?: Accent;
};

export type EnglishFrontEnd = {
  /**
   * Never throws because of the text: parts without a pronunciation are left out. Phonemes in `[word](/phonemes/)` are
   * used unchanged.
   */
  phonemes(text: string): Promise<string>;
  /** Words, or parts of words, that are in no lexicon: their pronunciation is a guess. */
  unknownWords(text: string): string[];
};

/** Size of the cache of predicted words, so that a name is predicted once per book. */
const maxCachedWords = 5000;

export function createEnglishFrontEnd({
  gold,
  silver,
  tagger,
  predictPhonemes,
  accent = "american",
}: EnglishFrontEndData): EnglishFrontEnd {
  const lexicon = createLexicon(gold, silver);
  const tagTokens = createTagger(tagger, lexicon.dependsOnTag);
  const readWord = createWordReader(lexicon);
  const normalize = accent === "british" ? normalizeBritish : normalizeText;
  const cache = new Map<string, string>();

  const parse = (text: string) => {
    const inlinePhonemes = extractInlinePhonemes(text);
    const tokens = tokenize(normalize(inlinePhonemes.text));
    return groupTokens(
      tokens,
      tagTokens(tokens.map((token) => inlinePhonemes.toWritten(token.text))),
      inlinePhonemes.phonemes,
    );
  };

  return {
    unknownWords(text) {
      const words = new Set<string>();
      pronounce(parse(text), readWord, (word) => {
        words.add(word);
        return "";
      });
      return [...words];
    },
    async phonemes(text) {
      const items = parse(text);
      const unknownWords = new Set<string>();
      const firstPass = pronounce(items, readWord, (word) => {
        const cached = cache.get(word);
        if (cached === undefined) unknownWords.add(word);
        return cached ?? "";
      });
      if (unknownWords.size === 0) return toVoiceAlphabet(firstPass, accent);
      const words = [...unknownWords];
      const predictions = new Map(
        (await predictPhonemes(words)).map((phonemes, index) => [words[index] ?? "", phonemes]),
      );
      const spoken = toVoiceAlphabet(
        pronounce(items, readWord, (word) => predictions.get(word) ?? cache.get(word) ?? ""),
        accent,
      );
      if (cache.size + predictions.size > maxCachedWords) cache.clear();
      for (const [word, phonemes] of predictions) cache.set(word, phonemes);
      return spoken;
    },
  };
}
