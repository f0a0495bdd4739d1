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

/** The languages, with the error rates that are published for some of them: the first that has one counts. */
export const withRates = (
  languages: readonly ModelLanguage[],
  ...published: readonly PublishedRates[]
): readonly ModelLanguage[] =>
  languages.map(({ code }) => {
    const source = published.find(({ percent }) => percent[code] !== undefined);
    if (source === undefined) return { code };
    const rate = Math.round((source.percent[code] ?? 0) * 100) / 10_000;
    return { code, errorRate: { rate, unit: "words", testSet: source.testSet, url: source.url } };
  });

const whisperSizes = ["tiny", "base", "small", "medium"] as const;
type PercentBySize = Readonly<Record<string, readonly (number | undefined)[]>>;
/** Table 13 of the paper, as far as it could be read twice. */
const fleursPercent: PercentBySize = {
  de: [27.8, 17.9, 10.2, 6.5],
  en: [12.4, 8.9, 6.1, 4.4],
  es: [15.9, 9.9, 5.6, 3.6],
  id: [51.7, 33.1, 16.3, 10.2],
  ms: [51.2, 35.1, 18.9, 12.2],
  nl: [49, 33, 16.4, 9.9],
  ru: [31.1, 20.5, 11.4, undefined],
};
/** `results.py` of Picovoice's benchmark. */
const librispeechPercent: PercentBySize = {
  fr: [36.2, 24.4, 13.5, 8.6],
  it: [43.3, 31.6, 20.6, 14.9],
  pt: [34.6, 22.7, 13, 8.1],
};

/** Of OpenAI's weights in full precision. */
export function ratedWhisperLanguages(
  size: (typeof whisperSizes)[number],
): readonly ModelLanguage[] {
  const ofSize = (bySize: PercentBySize): Record<string, number> =>
    Object.fromEntries(
      Object.entries(bySize).flatMap(([code, percents]) => {
        const percent = percents[whisperSizes.indexOf(size)];
        return percent === undefined ? [] : [[code, percent]];
      }),
    );
  return withRates(
    whisperLanguages,
    {
      testSet: "FLEURS",
      url: "https://arxiv.org/abs/2212.04356",
      percent: ofSize(fleursPercent),
    },
    {
      testSet: "Multilingual LibriSpeech",
      url: "https://github.com/Picovoice/speech-to-text-benchmark",
      percent: ofSize(librispeechPercent),
    },
  );
}

/** @param codes separated by spaces */
export const languagesOf = (codes: string): readonly ModelLanguage[] =>
  codes.split(" ").map((code) => ({ code }));
