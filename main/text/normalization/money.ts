// Amounts of money, with the symbol before or after the number.

import type { Gender } from "./grammar.ts";
import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "./normalization-rules.ts";
import { type NumberWords, numberPattern, readNumber } from "./numbers.ts";

export type Currency = {
  readonly one: string;
  readonly many: string;
  readonly gender: Gender;
  readonly cent?: string;
  readonly cents?: string;
};

export type MoneyWords = {
  /** By symbol or code: "€", "R$", "USD". */
  readonly currencies: ReadonlyMap<string, Currency>;
  /** Written → singular and plural; with `of` the currency is joined: "millones de euros", but "mil euros". */
  readonly magnitudes: ReadonlyMap<string, { one: string; many: string; of: boolean }>;
  readonly isSingular: (written: string) => boolean;
  /** Both parts with their units. */
  readonly joinCents: (whole: string, cents: string, centUnit: string) => string;
  readonly per: string;
};

export function createMoneyReader(
  words: MoneyWords,
  numbers: NumberWords,
  unitNames: ReadonlyMap<string, string>,
): (text: string) => string {
  const symbolPattern = alternationPattern(words.currencies.keys());
  const magnitudePattern = `(?: ?(${alternationPattern(words.magnitudes.keys())})(?![\\p{L}\\p{N}]))?`;
  const amountPattern = `(${numberPattern})${magnitudePattern}`;
  const read = (symbol: string, amount: string, magnitude: string): string => {
    const currency = words.currencies.get(symbol);
    if (currency === undefined) return amount;
    return readAmount(currency, amount, magnitude, words, numbers);
  };
  const plural = (symbol: string): string => words.currencies.get(symbol)?.many ?? symbol;
  const perPattern = String.raw`(?: ?/ ?(\p{Ll}{1,20})(?![\p{L}\p{N}]))?`;
  const readPer = (unit: string): string =>
    unit === "" ? "" : ` ${words.per} ${unitNames.get(unit) ?? unit}`;
  const rules: readonly NormalizationRule[] = [
    [
      new RegExp(
        String.raw`(?<![\p{L}\p{N}])(${symbolPattern}) ?${amountPattern}${perPattern}`,
        "gu",
      ),
      (_, symbol = "", amount = "", magnitude = "", unit = "") =>
        read(symbol, amount, magnitude) + readPer(unit),
    ],
    [
      new RegExp(
        String.raw`(?<![\p{L}\p{N}.,])${amountPattern} ?(${symbolPattern})(?![\p{L}\p{N}])${perPattern}`,
        "gu",
      ),
      (_, amount = "", magnitude = "", symbol = "", unit = "") =>
        read(symbol, amount, magnitude) + readPer(unit),
    ],
    [
      new RegExp(String.raw`(?<=\p{L} |[dl]')(${symbolPattern})(?![\p{L}\p{N}])`, "gu"),
      (_, symbol = "") => plural(symbol),
    ],
  ];
  return (text) => applyNormalizationRules(text, rules);
}

function readAmount(
  currency: Currency,
  amount: string,
  magnitude: string,
  words: MoneyWords,
  numbers: NumberWords,
): string {
  const size = words.magnitudes.get(magnitude);
  if (size !== undefined) {
    const count = readNumber(amount, numbers, { noun: "masculine", nextWord: size.many });
    const sizeName = words.isSingular(amount) ? size.one : size.many;
    return `${count} ${sizeName} ${size.of ? numbers.ofMillions(currency.many) : ""}${currency.many}`;
  }
  const unitFor = (value: string): string =>
    words.isSingular(value) ? currency.one : currency.many;
  const count = (value: string): string => {
    const unit = unitFor(value);
    const of = /^\d{1,3}0{6,}$/.test(value) ? numbers.ofMillions(unit) : "";
    return `${readNumber(value, numbers, { noun: currency.gender, nextWord: unit })} ${of}${unit}`;
  };
  const [whole = "", cents = ""] = amount.split(",");
  if (cents.length !== 2 || currency.cent === undefined) return count(amount);
  if (Number(cents) === 0) return count(whole);
  const centCount = String(Number(cents));
  const centUnit = (centCount === "1" ? currency.cent : currency.cents) ?? currency.cent;
  const centWords = readNumber(centCount, numbers, { noun: "masculine", nextWord: centUnit });
  return Number(whole) === 0
    ? `${centWords} ${centUnit}`
    : words.joinCents(count(whole), centWords, centUnit);
}
