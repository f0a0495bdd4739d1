// Detects a text that lacks words of its speech, for every transcription engine: models may stop early or skip a part,
// and still report high confidence for what they wrote.

/** Fewer words per second of voice mean that some were lost. Slow speech has about 1.5. */
const minWordsPerSec = 0.9;

/** Also segments words of languages without spaces. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike === true) count += 1;
  return count;
}

/** @param voicedSec seconds of voice that contain the words */
export const hasTooFewWords = (words: number, voicedSec: number): boolean =>
  words < minWordsPerSec * voicedSec;
