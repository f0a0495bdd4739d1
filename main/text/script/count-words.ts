// How often each word of a text occurs: those that may be in no lexicon are among them. Pure.

const wordPattern = /\p{L}[\p{L}\p{M}'’-]{0,59}/gu;
/** More than the vocabulary of any book. */
const maxWords = 100_000;
/** Of words so short that they are abbreviations or interjections. */
const minCharacters = 3;

/** Words as they are first written, the possessive without its ending; one sentence per step. */
export function* countWordsInSteps(
  sentences: Iterable<string>,
): Generator<undefined, Map<string, number>> {
  const counts = new Map<string, number>();
  for (const sentence of sentences) {
    yield;
    for (const [match] of sentence.matchAll(wordPattern)) {
      const word = match.replace(/['’-]{1,60}$/, "").replace(/['’]s$/, "");
      if (word.length < minCharacters || !/\p{Ll}/u.test(word)) continue;
      const count = counts.get(word);
      if (count !== undefined || counts.size < maxWords) counts.set(word, (count ?? 0) + 1);
    }
  }
  return counts;
}
