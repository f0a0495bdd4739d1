// Telephone numbers and other numbers that identify something, read in groups with a pause between.

import { type NormalizationRule, applyNormalizationRules } from "./normalization-rules.ts";

export type CodeWords = {
  /** National telephone numbers, without the country's prefix. Groups are separated by blanks, dots or hyphens. */
  readonly telephone: readonly RegExp[];
  readonly readGroup: (digits: string) => string;
  /** Numbers like "+34 ...": the prefix, as a number. */
  readonly readPrefix: (digits: string) => string;
  readonly plus: string;
  readonly readDigits: (digits: string) => string;
};

/** More digits without a separator are an account or a serial number. */
const minSerialDigits = 10;

export function createCodeReader(words: CodeWords): (text: string) => string {
  const readGroups = (code: string): string =>
    (code.match(/\d+/g) ?? []).map((group) => words.readGroup(group)).join(", ");
  const rules: readonly NormalizationRule[] = [
    [
      /(?<![\p{L}\p{N}.+-])\+(\d{1,3})[ .-]?((?:\(\d{1,4}\)[ -]?)?\d{1,12}(?:[ .-]\d{2,8}){0,6})(?![\p{L}\p{N}-])/gu,
      (_, prefix = "", rest = "") =>
        `${words.plus} ${words.readPrefix(prefix)}, ${readGroups(rest)}`,
    ],
    ...words.telephone.map((pattern): NormalizationRule => [pattern, (all) => readGroups(all)]),
    // ISBN 978-84-376-0494-7: three or more groups.
    [
      /(?<![\p{L}\p{N}.-])\d{1,9}(?:-\d{1,9}){2,9}(?:-[xX])?(?![\p{L}\p{N}-])/gu,
      (all) => (all.match(/\d+|[xX]/g) ?? []).map((group) => words.readDigits(group)).join(", "),
    ],
    [/(?<![\p{L}\p{N}.,-])\d{4}(?: \d{4}){2,5}(?![\p{L}\p{N},-])/gu, (all) => readGroups(all)],
    [
      new RegExp(
        String.raw`(?<![\p{L}\p{N}.,-])\d{${minSerialDigits},40}(?![\p{L}\p{N}]|[.,]\d)`,
        "gu",
      ),
      (all) => words.readDigits(all),
    ],
  ];
  return (text) => applyNormalizationRules(text, rules);
}
