// What entries of the catalog have in common.

import { languageNames } from "../../contract/languages.ts";
import type { ModelLanguage } from "../../contract/models.ts";

export const unixSec = (date: string): number => Date.parse(date) / 1000;

export const english: readonly ModelLanguage[] = [{ code: "en" }];

/** The 99 languages of openai/whisper's first two vocabularies; Cantonese came with the third. */
export const whisperLanguages: readonly ModelLanguage[] = [...languageNames.keys()]
  .filter((code) => code !== "yue")
  .map((code) => ({ code }));

/** Language → error rate on the test set, in percent as published. */
export type PublishedRates = {
  /** Rates are compared only if this is the same: it names who measured, too, if another one may have as well. */
  readonly testSet: string;
  readonly url: string;
  readonly percent: Readonly<Record<string, number>>;
  /** Languages whose characters were counted instead of words. */
  readonly inCharacters?: readonly string[];
};

/** The languages, with the error rates that are published for some of them. */
export const withRates = (
  languages: readonly ModelLanguage[],
  { testSet, url, percent, inCharacters = [] }: PublishedRates,
): readonly ModelLanguage[] =>
  languages.map(({ code }) => {
    const published = percent[code];
    if (published === undefined) return { code };
    const unit = inCharacters.includes(code) ? "characters" : "words";
    return {
      code,
      errorRate: { rate: Math.round(published * 100) / 10_000, unit, testSet, url },
    };
  });

/** @param codes separated by spaces */
export const languagesOf = (codes: string): readonly ModelLanguage[] =>
  codes.split(" ").map((code) => ({ code }));
