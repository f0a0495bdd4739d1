// Tells whether a text lacks words of its speech, for every engine that hears: models stop early, or pass over a part,
// and are sure of what they did write.

/** Fewer words than this in a second of voice: some were lost. Slow speech has about 1.5. */
const minWordsPerSec = 0.9;

/** Knows words of languages without spaces too. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike === true) count += 1;
  return count;
}

/** @param voicedSec seconds of voice that the words are of */
export const hasTooFewWords = (words: number, voicedSec: number): boolean =>
  words < minWordsPerSec * voicedSec;
