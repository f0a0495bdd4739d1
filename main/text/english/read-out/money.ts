// Sums of money: the unit after the number, its hundredth part by its own name, magnitudes before the unit.

import { type Rule, anyOf, applyRules, isOne, number } from "./rule.ts";

type Currency = {
  readonly one: string;
  readonly many: string;
  readonly cent: string;
  readonly cents: string;
};

const currency = (one: string, many: string, cent = "", cents = cent): Currency => ({
  one,
  many,
  cent,
  cents,
});
const currencies = new Map([
  ["$", currency("dollar", "dollars", "cent", "cents")],
  ["£", currency("pound", "pounds", "penny", "pence")],
  ["€", currency("euro", "euros", "cent", "cents")],
  ["¥", currency("yen", "yen")],
  ["₹", currency("rupee", "rupees", "paisa", "paise")],
  ["₩", currency("won", "won")],
  ["₽", currency("ruble", "rubles", "kopeck", "kopecks")],
  ["₺", currency("lira", "lira")],
  ["₪", currency("shekel", "shekels")],
  ["₿", currency("bitcoin", "bitcoins")],
  ["¢", currency("cent", "cents")],
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
const perWhat = new Map([
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

const symbols = anyOf(currencies.keys());
const magnitude = String.raw`(?:[ -]?(hundred|thousand|million|billion|trillion|mn|bn|tn|[kmbt])(?![\p{L}\p{N}]))?`;
const before = String.raw`(?<![\p{L}\p{N}.,])(-)?(${anyOf(countries.keys())})?(${symbols})\s?(-)?`;

const rules: readonly Rule[] = [
  // "$5–10 million", "$10 - $20".
  [
    new RegExp(
      String.raw`${before}(${number})${magnitude}\s?(?:[-–]| to )\s?(?:${symbols})?(${number})${magnitude}`,
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
      `${minus || minus2}${from}${size(fromSize)} to ${say("", country, symbol, to, toSize, false)}`,
  ],
  // "a $5 bill": one unit, as an adjective.
  [
    new RegExp(String.raw`(?<=\ban? )${before}(${number})${magnitude}(?=[ -]\p{L})`, "giu"),
    (_, minus = "", country = "", symbol = "", minus2 = "", amount = "", big = "") =>
      say(minus || minus2, country, symbol, amount, big, true),
  ],
  [
    new RegExp(`${before}(${number})${magnitude}`, "giu"),
    (all, minus = "", country = "", symbol = "", minus2 = "", amount = "", big = "") =>
      say(minus || minus2, country, symbol, amount, big, all.includes(`-${big}`) && big !== ""),
  ],
  [
    new RegExp(String.raw`(?<![\p{L}\p{N}.,])(${number})\s?([€£¢₽₺₪])`, "gu"),
    (_, amount = "", symbol = "") => say("", "", symbol, amount, "", false),
  ],
  [
    new RegExp(
      String.raw`(?<=dollars?|cents?|euros?|pounds?|pence|yen|rupees?)\s?\/\s?(${anyOf(perWhat.keys())}|[a-z]{3,20})(?![\p{L}\p{N}])`,
      "gu",
    ),
    (_, unit = "") => ` per ${perWhat.get(unit) ?? unit}`,
  ],
];

export function readMoney(text: string): string {
  return applyRules(text, rules);
}

function size(written: string): string {
  const word = magnitudes.get(written.toLowerCase());
  return word === undefined ? "" : ` ${word}`;
}

function say(
  minus: string,
  country: string,
  symbol: string,
  amount: string,
  big: string,
  adjective: boolean,
): string {
  const unit = currencies.get(symbol);
  if (!unit) return amount;
  const place = country === "" ? "" : ` ${countries.get(country) ?? country}`;
  const sign = minus === "" ? "" : "minus ";
  const [whole = "", cents = ""] = amount.split(".");
  const named = (value: string): string => (adjective || isOne(value) ? unit.one : unit.many);
  if (big !== "" || cents.length !== 2 || unit.cent === "")
    return `${sign}${amount}${size(big)}${place} ${big === "" ? named(amount) : adjective ? unit.one : unit.many}`;
  const parts = Number(cents);
  const small = `${parts} ${parts === 1 ? unit.cent : unit.cents}`;
  if (parts === 0) return `${sign}${whole}${place} ${named(whole)}`;
  return Number(whole) === 0 && !whole.includes(",")
    ? sign + small
    : `${sign}${whole}${place} ${named(whole)} and ${small}`;
}
