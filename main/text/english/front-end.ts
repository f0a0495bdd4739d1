// English text → phonemes, for the voices that read misaki's American alphabet. Puts the steps together: numbers and
// abbreviations into words, tokens, parts of speech, dictionary, and a guess for what is in no dictionary.

import { asSpoken } from "./phonemes.ts";
import { group } from "./groups.ts";
import { type LexiconData, createLexicon } from "./lexicon.ts";
import { pronounce } from "./pronounce.ts";
import { readOut } from "./read-out/read-out.ts";
import { type TaggerData, createTagger } from "./tagger.ts";
import { tokenize } from "./tokens.ts";
import { createWordReader } from "./words.ts";
import { takeGiven } from "./given.ts";

export type EnglishFrontEndData = {
  readonly gold: LexiconData;
  readonly silver: LexiconData;
  readonly tagger: TaggerData;
  /** Letters → phonemes for words in no dictionary, one answer per word; an empty answer leaves the word out. */
  readonly guess: (words: readonly string[]) => Promise<string[]>;
};

export type EnglishFrontEnd = {
  /** Never throws for what the text holds: what has no reading is left out. `[word](/phonemes/)` is read as given. */
  phonemes(text: string): Promise<string>;
};

/** Guessed words that are kept, so that a name is guessed once in a book. */
const maxRemembered = 5000;

export function createEnglishFrontEnd({
  gold,
  silver,
  tagger,
  guess,
}: EnglishFrontEndData): EnglishFrontEnd {
  const lexicon = createLexicon(gold, silver);
  const tag = createTagger(tagger, lexicon.varies);
  const read = createWordReader(lexicon);
  const remembered = new Map<string, string>();

  return {
    async phonemes(text) {
      const given = takeGiven(text);
      const tokens = tokenize(readOut(given.text));
      const items = group(
        tokens,
        tag(tokens.map((token) => given.written(token.text))),
        given.phonemes,
      );
      const unknown = new Set<string>();
      const first = pronounce(items, read, (word) => {
        const known = remembered.get(word);
        if (known === undefined) unknown.add(word);
        return known ?? "";
      });
      if (unknown.size === 0) return asSpoken(first);
      const words = [...unknown];
      const guesses = new Map(
        (await guess(words)).map((phonemes, index) => [words[index] ?? "", phonemes]),
      );
      const spoken = asSpoken(
        pronounce(items, read, (word) => guesses.get(word) ?? remembered.get(word) ?? ""),
      );
      if (remembered.size + guesses.size > maxRemembered) remembered.clear();
      for (const [word, phonemes] of guesses) remembered.set(word, phonemes);
      return spoken;
    },
  };
}
