// Text as it is read aloud in a language: numbers, dates, signs and abbreviations as words.

import { normalizeBritish } from "./english/normalization/british.ts";
import { normalizeText as normalizeAmerican } from "./english/normalization/normalize-text.ts";
import { normalizeFrench } from "./french/normalization.ts";
import { normalizeHindi } from "./hindi/normalization.ts";
import { normalizeItalian } from "./italian/normalization.ts";
import { normalizePortuguese } from "./portuguese/normalization.ts";
import { normalizeSpanish } from "./spanish/normalization.ts";

const normalizers = new Map<string, (text: string) => string>([
  ["en", normalizeAmerican],
  ["fr", normalizeFrench],
  ["it", normalizeItalian],
  ["pt", normalizePortuguese],
  ["hi", normalizeHindi],
  ["en-GB", normalizeBritish],
  ["es", normalizeSpanish],
]);

/**
 * American English keeps plain numbers as digits, which its front end reads by their position; all others become words.
 * @param language a language tag; a region without rules of its own is read like its language
 * @returns the text unchanged where the language has no rules
 */
export function normalizeText(text: string, language: string): string {
  const normalize = normalizers.get(language) ?? normalizers.get(language.split("-", 1)[0] ?? "");
  return normalize?.(text) ?? text;
}
