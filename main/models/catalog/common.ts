// What entries of the catalog have in common.

import { languageNames } from "../../contract/languages.ts";
import type { ModelCapabilities, ModelLanguage } from "../../contract/models.ts";

export const unixSec = (date: string): number => Date.parse(date) / 1000;

export const noCapabilities: ModelCapabilities = {
  wordTimes: false,
  languageDetection: false,
  prompt: false,
  streaming: false,
  translatesTo: [],
};

export const english: readonly ModelLanguage[] = [{ code: "en" }];

/** The 99 languages of openai/whisper's first two vocabularies; Cantonese came with the third. */
export const whisperLanguages: readonly ModelLanguage[] = [...languageNames.keys()]
  .filter((code) => code !== "yue")
  .map((code) => ({ code }));

/** Whisper base in English and Russian. */
export const whisperBaseLanguages = (): readonly ModelLanguage[] => {
  const rated = [withErrorRate("en", 0.1226), withErrorRate("ru", 0.3834)];
  return whisperLanguages.map(
    (language) => rated.find(({ code }) => code === language.code) ?? language,
  );
};

/** @param codes separated by spaces */
export const languagesOf = (codes: string): readonly ModelLanguage[] =>
  codes.split(" ").map((code) => ({ code }));

const onnxAsrTestSets: Readonly<Record<string, string>> = {
  en: "VoxPopuli",
  ru: "Russian LibriSpeech",
};

/** A language with the error rate of the original implementation, from the comparison that onnx-asr publishes. */
export const withErrorRate = (code: "en" | "ru", rate: number): ModelLanguage => ({
  code,
  errorRate: {
    rate,
    unit: "words",
    testSet: onnxAsrTestSets[code] ?? "",
    url: "https://github.com/istupakov/onnx-asr/blob/main/docs/comparison.md",
  },
});
