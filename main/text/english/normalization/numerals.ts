// Signs between and around numbers: fractions, ranges, negative numbers, dimensions, powers, number signs.

import { cardinalWords, ordinalWords } from "../number-words.ts";
import { fractionCharacterRules } from "../../normalization/fraction-characters.ts";
import {
  type NormalizationRule,
  applyNormalizationRules,
  boundaryPattern,
} from "../../normalization/normalization-rules.ts";
import { numberPattern } from "./patterns.ts";

const denominators = new Set([2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 64, 100]);

function fractionWords(top: string, bottom: string): string | undefined {
  const [above, below] = [Number(top), Number(bottom)];
  if (!denominators.has(below) || above >= below || above === 0) return undefined;
  const part = below === 2 ? "half" : below === 4 ? "quarter" : ordinalWords(bottom).join(" ");
  return `${cardinalWords(top).join(" ")} ${part}${above === 1 ? "" : "s"}`;
}

const rangeRules: readonly NormalizationRule[] = [
  [/(?<=\d)\s?-\s?(?=\d{1,15}\s?=)/g, " minus "],
  // Pages 12-15, 1914–18, 5-10%; with an apostrophe or a letter on either side it is a name.
  [
    new RegExp(
      String.raw`${boundaryPattern}(?<!-)(#?${numberPattern}(?:%|st|nd|rd|th|s)?)\s?[–—]\s?` +
        String.raw`(?=[$£€]?${numberPattern}(?![-–]\d))`,
      "gu",
    ),
    "$1 to ",
  ],
  [
    new RegExp(
      String.raw`${boundaryPattern}(?<![-'])(${numberPattern}(?:%|st|nd|rd|th)?)-` +
        String.raw`(?=${numberPattern}(?:%|st|nd|rd|th|s)?(?![\p{L}\p{N}-]))`,
      "gu",
    ),
    "$1 to ",
  ],
];

const rules: readonly NormalizationRule[] = [
  ...fractionCharacterRules,
  [
    /(?<![\d/.,])(\d{1,4}) (\d{1,2})\/(\d{1,3})(?![\d/])/g,
    (all, whole = "", top = "", bottom = "") => {
      const part = fractionWords(top, bottom);
      return part === undefined
        ? all
        : `${whole} and ${part.replace(/^one /, "a ").replace(/^a eighth/, "an eighth")}`;
    },
  ],
  [
    /(?<![\d/.,\p{L}])(\d{1,3})\/(\d{1,3})(?![\d/]|\.\d)/gu,
    (_, top = "", bottom = "") =>
      fractionWords(top, bottom) ??
      (bottom === "10" || bottom === "100" ? `${top} out of ${bottom}` : `${top} ${bottom}`),
  ],
  [/(?<=\d(?: inches)?)\s?[x×]\s?(?=\d)/g, " by "],
  [/(?<=\d)\^(?=-?\d)/g, " to the power of "],
  [/(?<=[\p{L}\d])²/gu, " squared"],
  [/(?<=[\p{L}\d])³/gu, " cubed"],
  [/(?<![\p{L}\p{N}.)%'-])-(?=\.?\d)/gu, "minus "],
  [/(?<![\p{L}\p{N}.)%'])\+(?=\.?\d)/gu, "plus "],
  [/(?<![\p{L}\p{N}#&])#\s?(?=\d)/gu, "number "],
  [/~\s?(?=[$£€]?\d)/g, "about "],
];

export function expandRanges(text: string): string {
  return applyNormalizationRules(text, rangeRules);
}

export function expandNumerals(text: string): string {
  return applyNormalizationRules(text, rules);
}
