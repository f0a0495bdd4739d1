// Amounts of money: the unit after the number, cents by their own name, magnitudes before the unit.

import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";
import { isSingular, numberPattern } from "./patterns.ts";

type Currency = {
  readonly one: string;
  readonly many: string;
  readonly cent: string;
  readonly cents: string;
};

const createCurrency = (one: string, many: string, cent = "", cents = cent): Currency => ({
  one,
  many,
  cent,
  cents,
});
const currencies = new Map([
  ["$", createCurrency("dollar", "dollars", "cent", "cents")],
  ["£", createCurrency("pound", "pounds", "penny", "pence")],
  ["€", createCurrency("euro", "euros", "cent", "cents")],
  ["¥", createCurrency("yen", "yen")],
  ["₹", createCurrency("rupee", "rupees", "paisa", "paise")],
  ["₩", createCurrency("won", "won")],
  ["₽", createCurrency("ruble", "rubles", "kopeck", "kopecks")],
  ["₺", createCurrency("lira", "lira")],
  ["₪", createCurrency("shekel", "shekels")],
  ["₿", createCurrency("bitcoin", "bitcoins")],
  ["¢", createCurrency("cent", "cents")],
]);
const countries = new Map([
  ["US", "U.S."],
  ["AU", "Australian"],
  ["A", "Australian"],
  ["CA", "Canadian"],
  ["C", "Canadian"],
  ["HK", "Hong Kong"],
  ["NZ", "New Zealand"],
  ["S", "Singapore"],
]);
const magnitudes = new Map([
  ["k", "thousand"],
  ["m", "million"],
  ["mn", "million"],
  ["mm", "million"],
  ["b", "billion"],
  ["bn", "billion"],
  ["t", "trillion"],
  ["tn", "trillion"],
  ...["hundred", "thousand", "million", "billion", "trillion"].map((word) => [word, word] as const),
]);
const perUnits = new Map([
  ["mo", "month"],
  ["yr", "year"],
  ["wk", "week"],
  ["hr", "hour"],
  ["h", "hour"],
  ["min", "minute"],
  ["sec", "second"],
  ["lb", "pound"],
  ["oz", "ounce"],
  ["kg", "kilogram"],
  ["g", "gram"],
  ["gal", "gallon"],
  ["mi", "mile"],
  ["km", "kilometer"],
  ["L", "liter"],
  ["kWh", "kilowatt hour"],
  ["GB", "gigabyte"],
]);

const symbolPattern = alternationPattern(currencies.keys());
const countryPattern = alternationPattern(countries.keys());
const unitPattern = alternationPattern(perUnits.keys());
const magnitudeNamePattern = "hundred|thousand|million|billion|trillion|mn|bn|tn|[kmbt]";
const magnitudePattern = String.raw`(?:[ -]?(${magnitudeNamePattern})(?![\p{L}\p{N}]))?`;
const prefixPattern = String.raw`(?<![\p{L}\p{N}.,])(-)?(${countryPattern})?(${symbolPattern})\s?(-)?`;
const amountPattern = `(${numberPattern})${magnitudePattern}`;

const rules: readonly NormalizationRule[] = [
  // "$5–10 million", "$10 - $20".
  [
    new RegExp(
      String.raw`${prefixPattern}${amountPattern}\s?(?:[-–]| to )\s?(?:${symbolPattern})?${amountPattern}`,
      "giu",
    ),
    (
      _,
      minus = "",
      country = "",
      symbol = "",
      minus2 = "",
      from = "",
      fromSize = "",
      to = "",
      toSize = "",
    ) =>
      `${minus || minus2}${from}${magnitudeWord(fromSize)} to ${formatAmount("", country, symbol, to, toSize, false)}`,
  ],
  // "a $5 bill": singular, as an adjective.
  [
    new RegExp(String.raw`(?<=\ban? )${prefixPattern}${amountPattern}(?=[ -]\p{L})`, "giu"),
    (_, minus = "", country = "", symbol = "", minus2 = "", amount = "", magnitudeSuffix = "") =>
      formatAmount(minus || minus2, country, symbol, amount, magnitudeSuffix, true),
  ],
  [
    new RegExp(`${prefixPattern}${amountPattern}`, "giu"),
    (all, minus = "", country = "", symbol = "", minus2 = "", amount = "", magnitudeSuffix = "") =>
      formatAmount(
        minus || minus2,
        country,
        symbol,
        amount,
        magnitudeSuffix,
        all.includes(`-${magnitudeSuffix}`) && magnitudeSuffix !== "",
      ),
  ],
  [
    new RegExp(String.raw`(?<![\p{L}\p{N}.,])(${numberPattern})\s?([€£¢₽₺₪])`, "gu"),
    (_, amount = "", symbol = "") => formatAmount("", "", symbol, amount, "", false),
  ],
  [
    new RegExp(
      String.raw`(?<=dollars?|cents?|euros?|pounds?|pence|yen|rupees?)\s?\/\s?` +
        String.raw`(${unitPattern}|[a-z]{3,20})(?![\p{L}\p{N}])`,
      "gu",
    ),
    (_, unit = "") => ` per ${perUnits.get(unit) ?? unit}`,
  ],
];

export function expandMoney(text: string): string {
  return applyNormalizationRules(text, rules);
}

function magnitudeWord(written: string): string {
  const word = magnitudes.get(written.toLowerCase());
  return word === undefined ? "" : ` ${word}`;
}

function formatAmount(
  minus: string,
  country: string,
  symbol: string,
  amount: string,
  magnitudeSuffix: string,
  isAdjective: boolean,
): string {
  const unit = currencies.get(symbol);
  if (!unit) return amount;
  const place = country === "" ? "" : ` ${countries.get(country) ?? country}`;
  const sign = minus === "" ? "" : "minus ";
  const [whole = "", cents = ""] = amount.split(".");
  const unitFor = (value: string): string =>
    isAdjective || isSingular(value) ? unit.one : unit.many;
  if (magnitudeSuffix !== "")
    return `${sign}${amount}${magnitudeWord(magnitudeSuffix)}${place} ${isAdjective ? unit.one : unit.many}`;
  if (cents.length !== 2 || unit.cent === "") return `${sign}${amount}${place} ${unitFor(amount)}`;
  const parts = Number(cents);
  const small = `${parts} ${parts === 1 ? unit.cent : unit.cents}`;
  if (parts === 0) return `${sign}${whole}${place} ${unitFor(whole)}`;
  return Number(whole) === 0 && !whole.includes(",")
    ? sign + small
    : `${sign}${whole}${place} ${unitFor(whole)} and ${small}`;
}
