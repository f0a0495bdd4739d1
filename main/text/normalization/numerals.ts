// Signs between and around numbers: ranges, scores, fractions, mixed numbers, negative numbers, dimensions.

import { fractionCharacterRules } from "./fraction-characters.ts";
import type { Gender } from "./grammar.ts";
import { type NormalizationRule, applyNormalizationRules } from "./normalization-rules.ts";
import { type NumberWords, numberPattern } from "./numbers.ts";

export type NumeralWords = {
  /** "10-15": both numbers stay digits. `before`: the word before. */
  readonly range: (from: string, to: string, before: string) => string;
  /** "1/2" alone; before a noun "media taza". */
  readonly half: string;
  readonly halfOf: (noun: string, gender: Gender) => string;
  /** "2½ tazas" → "2 tazas y media": what follows the noun. */
  readonly andHalf: (gender: Gender, noun: string) => string;
  /** The bottom is 3 to 9. */
  readonly fraction: (top: string, bottom: number) => string;
  readonly and: string;
  /** "8/10". */
  readonly outOf: string;
  readonly minus: string;
  readonly plus: string;
  /** "3 x 4". */
  readonly by: string;
};

/** Ranges and signs before numbers. */
export function createRangeReader(words: NumeralWords): (text: string) => string {
  const rules: readonly NormalizationRule[] = [
    [
      new RegExp(
        String.raw`(?<![\p{L}\p{N}.,'/-])(?:(?<=(?<!\p{L})(\p{L}{1,12}) ))?(${numberPattern}) ?[-–—] ?` +
          String.raw`(?=(${numberPattern})(?![\p{L}\p{N}/-]))`,
        "gu",
      ),
      (_, before = "", from = "", to = "") => words.range(from, to, before.toLowerCase()),
    ],
    [/(?<![\p{L}\p{N}.,)%'-])[-–](?=[$€£]?\d)/gu, `${words.minus} `],
    [/(?<![\p{L}\p{N}.,)%'])\+(?=\d)/gu, `${words.plus} `],
  ];
  return (text) => applyNormalizationRules(text, rules);
}

export function createNumeralReader(
  words: NumeralWords,
  { genderOf }: NumberWords,
): (text: string) => string {
  const readFraction = (top: string, bottom: string): string => {
    const [above, below] = [Number(top), Number(bottom)];
    if (above === 1 && below === 2) return words.half;
    if (above > 0 && above < below && below > 2 && below < 10) return words.fraction(top, below);
    return above <= below ? `${top} ${words.outOf} ${bottom}` : `${top} ${bottom}`;
  };
  const rules: readonly NormalizationRule[] = [
    ...fractionCharacterRules,
    [
      /(?<![\d/.,])(\d{1,4}) 1\/2 (\p{L}{2,30})(?![\p{L}\d])/gu,
      (all, whole = "", noun = "") => {
        const gender = genderOf(noun);
        return gender === undefined ? all : `${whole} ${noun} ${words.andHalf(gender, noun)}`;
      },
    ],
    [
      /(?<![\d/.,\p{L}])1\/2 (\p{L}{2,30})(?![\p{L}\d])/gu,
      (all, noun = "") => {
        const gender = genderOf(noun);
        return gender === undefined ? all : words.halfOf(noun, gender);
      },
    ],
    [
      /(?<![\d/.,])(\d{1,4}) (\d{1,2})\/([2-9])(?![\d/])/g,
      (_, whole = "", top = "", bottom = "") =>
        `${whole} ${words.and} ${readFraction(top, bottom)}`,
    ],
    [
      /(?<![\d/.,\p{L}])(\d{1,3})\/(\d{1,3})(?![\d/]|[.,]\d)/gu,
      (_, top = "", bottom = "") => readFraction(top, bottom),
    ],
    [/(?<=\d) ?[x×] ?(?=\d)/g, ` ${words.by} `],
  ];
  return (text) => applyNormalizationRules(text, rules);
}
