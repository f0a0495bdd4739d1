// British English: what is written or said differently from American English, before and after its rules, and all
// numbers as words, with "and".

import { cardinalWords, ordinalWords } from "../number-words.ts";
import { numberWords } from "../numbers.ts";
import {
  type NormalizationRule,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";
import { normalizeCharacters } from "../../normalization/characters.ts";
import { normalizeText } from "./normalize-text.ts";
import { spellLetters } from "./patterns.ts";

const months =
  "January February March April May June July August September October November December".split(
    " ",
  );
const monthPattern = months.join("|");
const toDay = (digits: string): string => `the ${ordinalWords(digits).join("-")}`;
const telephoneDigits = (digits: string): string =>
  [...digits].map((digit) => (digit === "0" ? "oh" : cardinalWords(digit).join(""))).join(" ");
const readGroups = (code: string): string =>
  (code.match(/\d+/g) ?? []).map((group) => telephoneDigits(group)).join(", ");

function readDate(day: string, month: string, year: string): string | undefined {
  const name = months[Number(month) - 1];
  return name === undefined || Number(day) < 1 || Number(day) > 31
    ? undefined
    : `${toDay(day)} of ${name}, ${year}`;
}

const rulesBefore: readonly NormalizationRule[] = [
  [
    /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])/g,
    (all, year = "", month = "", day = "") => readDate(day, month, year) ?? all,
  ],
  [
    /(?<![\d/.])(\d{1,2})([/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d/]|\.\d)/g,
    (all, day = "", _sign = "", month = "", year = "") => readDate(day, month, year) ?? all,
  ],
  [
    new RegExp(
      String.raw`(?<!\p{L})(${monthPattern}) (\d{1,2})(?:st|nd|rd|th)?(?![\d:.,]\d|\d)(?! (?:times|people|per)\b)`,
      "gu",
    ),
    (all, month = "", day = "") =>
      Number(day) >= 1 && Number(day) <= 31 ? `${month} ${toDay(day)}` : all,
  ],
  [/(?<![\d.,])(\d{1,2}) ?ft\.? (\d{1,2}) ?in(?!\p{L})/gu, "$1 feet $2 inches"],
  // 9.30am.
  [/(?<![\d.,])(\d{1,2})\.([0-5]\d)(?= ?[ap]\.?m\b)/gi, "$1:$2"],
  [
    /(?<![\w.+-])\+(\d{1,3})[ -](\d{2,4}(?:[ -]\d{3,8}){1,3})(?![\w-])/g,
    (_, country = "", rest = "") => `plus ${telephoneDigits(country)}, ${readGroups(rest)}`,
  ],
  [/(?<![\w.+-])\(?0\d{2,4}\)?[ -]\d{3,4}[ -]?\d{3,4}(?![\w-])/g, readGroups],
  [/(?<![\w.+-])0\d{4} \d{5,6}(?![\w-])/g, readGroups],
  // Postcodes: SW1A 1AA.
  [
    /(?<![\p{L}\p{N}])([A-Z]{1,2})(\d{1,2})([A-Z]?) (\d)([A-Z]{2})(?![\p{L}\p{N}])/gu,
    (_, area = "", district = "", part = "", sector = "", unit = "") =>
      `${spellLetters(area)} ${district}${part === "" ? "" : ` ${part}`}, ${sector} ${spellLetters(unit)}`,
  ],
  [
    /£(\d{1,3}(?:,\d{3}){0,4}|\d{1,9})\.(\d\d)(?![\d,]|\.\d)(?! ?(?:[mb]n?|k|million|billion|thousand)\b)/g,
    (all, pounds = "", pence = "") =>
      pounds === "0" || pence === "00" || pence.startsWith("0")
        ? all
        : `${pounds} ${pounds === "1" ? "pound" : "pounds"} ${pence}`,
  ],
  [
    /(?<![\p{L}\p{N}.,])(\d{1,3})p(?![\p{L}\p{N}])/gu,
    (_, pence = "") => `${pence} ${pence === "1" ? "penny" : "pence"}`,
  ],
  [/(?<![\p{L}\p{N}.,])(\d{1,3}) ?st(?= ?\d{1,2} ?lbs?\b)/gu, "$1 stone "],
  [/(?<![\p{L}\p{N}.,])(1[123])st(?!\p{L})/gu, "$1 stone"],
  [
    /(?<![\p{L}\p{N}])'(\d0)s(?!\p{L})/gu,
    (_, decade = "") => pluralOf(cardinalWords(decade).join(" ")),
  ],
];

const pluralOf = (words: string): string =>
  words.endsWith("y")
    ? `${words.slice(0, -1)}ies`
    : words.endsWith("x")
      ? `${words}es`
      : `${words}s`;

/** A number of the forms that the American front end reads, with "and", and "nought" before a point. */
function readNumber(written: string, isWordStart: boolean): string {
  const suffix = /'?s$/.exec(written)?.[0] ?? "";
  const words = numberWords(written.slice(0, written.length - suffix.length), isWordStart) ?? [
    written,
  ];
  const spoken = addAnd(words)
    .join(" ")
    .replace(/^zero(?= point)/, "nought");
  return suffix === "" ? spoken : pluralOf(spoken);
}

const scalePattern = /^(?:thousand|million|billion|trillion)$/;

/** "one hundred and one", "one thousand and five"; nothing after "point". */
function addAnd(words: readonly string[]): string[] {
  const out: string[] = [];
  const end = words.indexOf("point");
  words.forEach((word, index) => {
    const previous = words[index - 1] ?? "";
    const isWhole = end < 0 || index < end;
    const isAfterScale =
      scalePattern.test(previous) &&
      !words.slice(index).some((next) => next.startsWith("hundred") || scalePattern.test(next));
    if (isWhole && !scalePattern.test(word) && (previous === "hundred" || isAfterScale))
      out.push("and");
    out.push(word);
  });
  return out;
}

const rulesAfter: readonly NormalizationRule[] = [
  [/(?<!\p{L})((?:kilo|centi|milli|micro|nano)?met)er(?=s?(?!\p{L}))/gu, "$1re"],
  [/(?<!\p{L})((?:centi|milli|deci)?lit)er(?=s?(?!\p{L}))/gu, "$1re"],
  [/(?<!\p{L})Mr\.?(?= )/gu, "Mister"],
  [/(?<!\p{L})Mrs\.?(?= )/gu, "Missus"],
  [/(?<!\p{L})Dr\.?(?= )/gu, "Doctor"],
];

const numberPattern =
  /\d+(?:,\d{3})*(?:\.\d+)*(?:st|nd|rd|th|'?s)?(?![\p{L}\d])|\d+(?:,\d{3})*(?:\.\d+)*/gu;

/** Letters and digits of a code are read apart: "M25". */
function readNumbers(text: string): string {
  return text.replace(numberPattern, (written, at: number) => {
    const isPart = /\p{L}/u.test(text[at - 1] ?? "");
    const isFollowed = /\p{L}/u.test(text[at + written.length] ?? "");
    return `${isPart ? " " : ""}${readNumber(written, !isPart)}${isFollowed ? " " : ""}`;
  });
}

export function normalizeBritish(text: string): string {
  const american = normalizeText(applyNormalizationRules(normalizeCharacters(text), rulesBefore));
  return readNumbers(applyNormalizationRules(american, rulesAfter));
}
