// Finds words that an English voice cannot pronounce: those in other alphabets. Pure.

/** Enough to see what is wrong with a script. */
const maxWords = 100;

/** A match of millions of characters overflows the stack of the regular expression engine. */
const maxWordUnits = 1000;
const wordPattern = new RegExp(`[\\p{L}\\p{M}]{1,${maxWordUnits}}`, "gu");

const foreignLetter = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

/** UTF-16 units that are searched for a foreign letter at once, before their words are looked at. */
const blockUnits = 4096;

/**
 * Returns each word once, in order; one block or word of the script per step. A single Greek letter has an English
 * name.
 */
export function* findUnpronounceableWordsInSteps(script: string): Generator<undefined, string[]> {
  const foundWords = new Set<string>();
  for (let start = 0; start < script.length && foundWords.size < maxWords;) {
    yield;
    const end = endOfBlock(script, start);
    const block = script.slice(start, end);
    start = end;
    if (!foreignLetter.test(block)) continue;
    for (const [word] of block.matchAll(wordPattern)) {
      yield;
      if (!foreignLetter.test(word) || /^\p{Script=Greek}$/u.test(word)) continue;
      foundWords.add(word);
      if (foundWords.size >= maxWords) break;
    }
  }
  return [...foundWords];
}

/** At a space, so that no word is split, unless a word is too long for a match anyway. */
function endOfBlock(script: string, start: number): number {
  const end = start + blockUnits;
  const space = script.slice(end, end + maxWordUnits).search(/\s/);
  return end + (space < 0 ? maxWordUnits : space);
}
