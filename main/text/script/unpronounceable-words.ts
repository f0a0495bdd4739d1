// Words that an English voice has no way to say: those in other alphabets. Pure.

/** Enough to see what is wrong with a script. */
const maxWords = 100;

/** A match of millions of characters overflows the stack of the pattern's engine. */
const wordPattern = /[\p{L}\p{M}]{1,1000}/gu;

/** Each once, in their order; a word of the script a step. A Greek letter by itself has an English name. */
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
