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
