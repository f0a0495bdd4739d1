// Finds words that an English voice cannot pronounce: those in other alphabets. Pure.

/** Enough to see what is wrong with a script. */
const maxWords = 100;

/** A match of millions of characters overflows the stack of the regular expression engine. */
const wordPattern = /[\p{L}\p{M}]{1,1000}/gu;

/** Returns each word once, in order; one word of the script per step. A single Greek letter has an English name. */
export function* findUnpronounceableWordsInSteps(script: string): Generator<undefined, string[]> {
  const foundWords = new Set<string>();
  for (const [word] of script.matchAll(wordPattern)) {
    yield;
    if (!/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(word)) continue;
    if (/^\p{Script=Greek}$/u.test(word)) continue;
    foundWords.add(word);
    if (foundWords.size >= maxWords) break;
  }
  return [...foundWords];
}
