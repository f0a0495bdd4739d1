// The language of a text that is to be spoken: by its letters, or by common words. Pure.

import { detectOtherLanguage } from "./script/detect-other-language.ts";

/** Letters → language. The first that more than a tenth of the letters belong to: Japanese mixes in Chinese ones. */
const languagesByScript: readonly (readonly [script: string, language: string])[] = [
  ["Hiragana", "ja"],
  ["Katakana", "ja"],
  ["Hangul", "ko"],
  ["Han", "zh"],
  ["Cyrillic", "ru"],
  ["Greek", "el"],
  ["Arabic", "ar"],
  ["Hebrew", "he"],
  ["Devanagari", "hi"],
  ["Thai", "th"],
];
const scripts = languagesByScript.map(([script, language]) => ({
  letter: new RegExp(`\\p{Script=${script}}`, "gu"),
  language,
}));
const ukrainianLetter = /[іїєґ]/i;
const minShare = 0.1;
/** Enough text to decide in a short time. */
const maxCharacters = 20_000;

/** @returns an ISO-639-1 code; English in case of doubt */
export function detectTextLanguage(text: string): string {
  const start = text.slice(0, maxCharacters);
  const letterCount = start.match(/\p{L}/gu)?.length ?? 0;
  const match = scripts.find(
    ({ letter }) => (start.match(letter)?.length ?? 0) > minShare * letterCount,
  );
  if (match?.language === "ru" && ukrainianLetter.test(start)) return "uk";
  return match?.language ?? detectOtherLanguage(start) ?? "en";
}
