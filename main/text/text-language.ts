// The language of a text that is to be spoken: by its letters, by common words, or by groups of letters. See NOTES.md.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type * as EldPackage from "eld/extrasmall";
import { detectOtherLanguage, hasMoreEnglish } from "./script/detect-other-language.ts";

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
export const detectTextLanguage = (text: string): string => detectCertainLanguage(text) ?? "en";

/** @returns an ISO-639-1 code; undefined in case of doubt */
export function detectCertainLanguage(text: string): string | undefined {
  const start = text.slice(0, maxCharacters);
  const letterCount = start.match(/\p{L}/gu)?.length ?? 0;
  const match = scripts.find(
    ({ letter }) => (start.match(letter)?.length ?? 0) > minShare * letterCount,
  );
  if (match?.language === "ru" && ukrainianLetter.test(start)) return "uk";
  return match?.language ?? detectOtherLanguage(start) ?? detectByLetterGroups(start);
}

/** With fewer, one in a hundred English phrases was taken for another language. */
const minWords = 5;
const require = createRequire(import.meta.url);

/** Loads 40 MB on first use, hence not for English, which most texts are. */
function detectByLetterGroups(text: string): string | undefined {
  if ((text.match(/\p{L}+/gu)?.length ?? 0) < minWords) return undefined;
  if (hasMoreEnglish(text)) return "en";
  // The package offers itself to imports only, which would be asynchronous.
  const { eld } = require(
    fileURLToPath(import.meta.resolve("eld/extrasmall")),
  ) as typeof EldPackage;
  const found = eld.detect(text);
  return found.isReliable() ? found.language : undefined;
}
