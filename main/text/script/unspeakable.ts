// Words that an English voice has no way to say: those in other alphabets. Pure.

/** Enough to see what is wrong with a script. */
const most = 100;

/** A match of millions of characters overflows the stack of the pattern's engine. */
const words = /[\p{L}\p{M}]{1,1000}/gu;

/** Each once, in their order; a word of the script a step. A Greek letter by itself has an English name. */
export function* unspeakableWordsInSteps(script: string): Generator<undefined, string[]> {
  const found = new Set<string>();
  for (const [word] of script.matchAll(words)) {
    yield;
    if (!/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(word)) continue;
    if (/^\p{Script=Greek}$/u.test(word)) continue;
    found.add(word);
    if (found.size >= most) break;
  }
  return [...found];
}
