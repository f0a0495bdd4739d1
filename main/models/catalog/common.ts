// What entries of the catalog have in common.

import { languageNames } from "../../contract/languages.ts";
import type { ModelLanguage } from "../../contract/models.ts";

export const unixSec = (date: string): number => Date.parse(date) / 1000;

export const english: readonly ModelLanguage[] = [{ code: "en" }];

/** The 99 languages of openai/whisper's first two vocabularies; Cantonese came with the third. */
export const whisperLanguages: readonly ModelLanguage[] = [...languageNames.keys()]
  .filter((code) => code !== "yue")
  .map((code) => ({ code }));

/** Language → word error rate on the test set, in percent as published. */
export type PublishedRates = {
  readonly testSet: string;
  readonly url: string;
  readonly percent: Readonly<Record<string, number>>;
};

/** The languages, with the error rates that are published for some of them. */
export const withRates = (
  languages: readonly ModelLanguage[],
  { testSet, url, percent }: PublishedRates,
): readonly ModelLanguage[] =>
  languages.map(({ code }) => {
    const rate = percent[code];
    return rate === undefined
      ? { code }
      : { code, errorRate: { rate: Math.round(rate * 100) / 10_000, unit: "words", testSet, url } };
  });

const whisperSizes = ["tiny", "base", "small", "medium"] as const;
/** Table 13 of the paper, as far as it could be read twice. */
const whisperPercent: Readonly<Record<string, readonly (number | undefined)[]>> = {
  de: [27.8, 17.9, 10.2, 6.5],
  en: [12.4, 8.9, 6.1, 4.4],
  es: [15.9, 9.9, 5.6, 3.6],
  fr: [undefined, undefined, 15, undefined],
  id: [51.7, 33.1, 16.3, 10.2],
  ms: [51.2, 35.1, 18.9, 12.2],
  nl: [49, 33, 16.4, 9.9],
  ru: [31.1, 20.5, 11.4, undefined],
};

/** Of OpenAI's weights in full precision. */
export const ratedWhisperLanguages = (
  size: (typeof whisperSizes)[number],
): readonly ModelLanguage[] =>
  withRates(whisperLanguages, {
    testSet: "FLEURS",
    url: "https://arxiv.org/abs/2212.04356",
    percent: Object.fromEntries(
      Object.entries(whisperPercent).flatMap(([code, percents]) => {
        const percent = percents[whisperSizes.indexOf(size)];
        return percent === undefined ? [] : [[code, percent]];
      }),
    ),
  });

/** @param codes separated by spaces */
export const languagesOf = (codes: string): readonly ModelLanguage[] =>
  codes.split(" ").map((code) => ({ code }));
