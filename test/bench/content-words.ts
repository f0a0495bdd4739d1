// Counts the content words that two English sentences share; function words are left out.

import { spokenWords } from "../support/word-error-rate.ts";

export type SharedWords = {
  shared: number;
  /** Number of content words in the reference. */
  total: number;
};

/** Articles, pronouns, prepositions, conjunctions and auxiliaries, which have no meaning of their own. */
const stopWords = new Set(
  `a about above after again all also although an and any are as at be because been before being below between both but by can could did do does doing down
  during each either few for from further had has have having he her here hers him his how however i if in into is it its itself just may me might more most must my
  no nor not now of off on once only or other our out over own rather same shall she should since so some such than that the their them themselves then there these they
  this those through to too under until up upon us very was we were what when where which while who whom whose why will with within would yet you your`.split(
    /\s+/,
  ),
);

const contentWords = (text: string): string[] =>
  spokenWords(text).filter((word) => !stopWords.has(word));

/** Counts the reference's content words that the other text has too, with multiplicity. */
export function sharedContentWords(reference: string, other: string): SharedWords {
  const referenceWords = contentWords(reference);
  const remainingCounts = new Map<string, number>();
  for (const word of contentWords(other))
    remainingCounts.set(word, (remainingCounts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of referenceWords) {
    const count = remainingCounts.get(word) ?? 0;
    if (count === 0) continue;
    remainingCounts.set(word, count - 1);
    shared += 1;
  }
  return { shared, total: referenceWords.length };
}

export const sumSharedWords = (results: readonly SharedWords[]): SharedWords =>
  results.reduce(
    (sum, part) => ({ shared: sum.shared + part.shared, total: sum.total + part.total }),
    {
      shared: 0,
      total: 0,
    },
  );
