// Ordinal numbers written with digits: `1.º`, `2ª`, `21e`, `3ème`.

import type { Gender } from "./grammar.ts";
import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "./normalization-rules.ts";

export type OrdinalWords = {
  /** Written after the digits, with an optional full stop before. */
  readonly suffixes: ReadonlyMap<string, { gender: Gender; plural?: boolean }>;
  /** `nextWord`: empty at the end of a clause. */
  readonly ordinal: (value: number, gender: Gender, nextWord: string, suffix: string) => string;
};

const maxOrdinal = 9999;

export function createOrdinalReader({ suffixes, ordinal }: OrdinalWords): (text: string) => string {
  const suffixPattern = alternationPattern(suffixes.keys());
  const rules: readonly NormalizationRule[] = [
    [
      new RegExp(
        String.raw`(?<![\p{L}\p{N}.,])(\d{1,4})\.?(${suffixPattern})(?![\p{L}\p{N}])(?=(?: (\p{L}{1,30}))?)`,
        "gu",
      ),
      (all, digits = "", suffix = "", nextWord = "") => {
        const value = Number(digits);
        const form = suffixes.get(suffix);
        if (form === undefined || value < 1 || value > maxOrdinal) return all;
        return ordinal(value, form.gender, nextWord, suffix) + (form.plural === true ? "s" : "");
      },
    ],
  ];
  return (text) => applyNormalizationRules(text, rules);
}
