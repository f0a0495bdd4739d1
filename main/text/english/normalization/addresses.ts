// Web and e-mail addresses, handles, hashtags and file names in English.

import { createAddressRules } from "../../normalization/addresses.ts";
import {
  type NormalizationRule,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";
import { spellLetters } from "./patterns.ts";

const countryDomains = new Set("uk de fr eu io ai tv us ca nl ch jp cn ru it es".split(" "));
const signNames = new Map([
  [".", "dot"],
  ["@", "at"],
  ["/", "slash"],
  [":", "colon"],
  ["_", "underscore"],
  ["-", "dash"],
  ["?", "question mark"],
  ["=", "equals"],
  ["&", "and"],
  ["#", "hash"],
  ["+", "plus"],
  ["%", "percent"],
  ["~", "tilde"],
]);

/** Country codes and labels without a vowel are spelled. */
function readLabel(label: string, isDomain: boolean): string {
  if (isDomain && countryDomains.has(label.toLowerCase())) return spellLetters(label);
  return /^[b-df-hj-np-tv-xz]{2,4}$/i.test(label) && !/^(?:mr|mrs|dr|st)$/i.test(label)
    ? spellLetters(label)
    : label;
}

const rules: readonly NormalizationRule[] = [
  ...createAddressRules({ signNames, readLabel, hashtag: "hashtag", at: "at" }),
  [/(?<=[\p{L}\p{N}])\.js\b/giu, " JS"],
  [/(?<![\p{L}\p{N}])\.(?=NET\b)/gu, "dot "],
  [/(?<=[\p{L}\d]{2})\.(?=\p{Ll}{2,4}(?![\p{L}.]))/gu, " dot "],
];

export function expandAddresses(text: string): string {
  return applyNormalizationRules(text, rules);
}
