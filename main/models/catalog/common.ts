// What entries of the catalog have in common.

import { languageNames } from "../../contract/languages.ts";
import type {
  ModelCapabilities,
  ModelLanguage,
  PublishedErrorRate,
} from "../../contract/models.ts";

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

/** @param codes separated by spaces */
export const languagesOf = (codes: string): readonly ModelLanguage[] =>
  codes.split(" ").map((code) => ({ code }));

/** In English, from the comparison of onnx-asr, which runs the same exports. */
export const onnxAsrRate = (rate: number): PublishedErrorRate => ({
  rate,
  unit: "words",
  testSet: "VoxPopuli",
  url: "https://github.com/istupakov/onnx-asr/blob/main/docs/comparison.md",
});
