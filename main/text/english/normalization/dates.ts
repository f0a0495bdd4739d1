// Dates and times of day: `2026-11-21`, `11/21/2026`, `Nov. 21`, `21 November 2026`, `14:05`, `9:30 am EST`.

import { ordinalWords } from "../number-words.ts";
import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";
import { spellLetters } from "./patterns.ts";

const months =
  "January February March April May June July August September October November December".split(
    " ",
  );
const shortMonths = new Map(months.map((month) => [month.slice(0, 3).toLowerCase(), month]));
const fullMonthPattern = months.join("|");
const monthPattern = `(?:${fullMonthPattern}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\b\\.?)`;
const weekdays = new Map([
  ["Mon", "Monday"],
  ["Tue", "Tuesday"],
  ["Tues", "Tuesday"],
  ["Wed", "Wednesday"],
  ["Thu", "Thursday"],
  ["Thur", "Thursday"],
  ["Thurs", "Thursday"],
  ["Fri", "Friday"],
  ["Sat", "Saturday"],
  ["Sun", "Sunday"],
]);
const zonePattern = alternationPattern(
  "EST EDT CST CDT MST MDT PST PDT ET CT MT PT GMT UTC BST CET CEST IST JST AEST Z".split(" "),
);
/** A full stop after it that ends the text is not part of the match. */
const meridiemPattern = String.raw`(?:\s?([ap])\.?\s?m\b(?:\.(?!\s*["')\]]*$))?)`;
const clockPattern = String.raw`([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,6})?)?`;

const toMonthName = (written: string): string =>
  shortMonths.get(written.slice(0, 3).toLowerCase()) ?? written;
const toDayName = (digits: string): string => ordinalWords(digits).join("-");
const isDay = (digits: string): boolean => Number(digits) >= 1 && Number(digits) <= 31;

function expandNumericDate(year: string, month: string, day: string): string | undefined {
  const name = months[Number(month) - 1];
  if (name === undefined || !isDay(day)) return undefined;
  const spokenYear = year.length === 4 ? year : year.startsWith("0") ? `oh ${year.slice(1)}` : year;
  return `${name} ${toDayName(day)}, ${spokenYear}`;
}

function expandTime(hour: string, minute: string, second: string, meridiem: string): string {
  const hours = String(Number(hour));
  const minutes = minute === "00" ? "" : minute.startsWith("0") ? `oh ${minute.slice(1)}` : minute;
  const suffix = meridiem === "" ? "" : ` ${spellLetters(`${meridiem}m`)}`;
  if (second !== "")
    return `${hours} ${minutes || "oh oh"} ${second === "00" ? "" : `and ${Number(second)} seconds`}${suffix}`;
  if (minutes !== "") return `${hours} ${minutes}${suffix}`;
  return suffix !== ""
    ? hours + suffix
    : Number(hour) >= 1 && Number(hour) <= 12
      ? `${hours} o'clock`
      : `${hours} hundred`;
}

/** `Z` means UTC in ISO 8601. */
function expandZone(zone: string): string {
  return zone === "" ? "" : ` ${spellLetters(zone.toUpperCase() === "Z" ? "UTC" : zone)}`;
}

const rules: readonly NormalizationRule[] = [
  [
    /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?:T(?=\d{2}:\d{2})|(?![\d-]))/g,
    (all, year = "", month = "", day = "") =>
      (expandNumericDate(year, month, day) ?? all) + (all.endsWith("T") ? " at " : ""),
  ],
  [
    /(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?![\d/])/g,
    (all, first = "", second = "", year = "") =>
      (Number(first) > 12
        ? expandNumericDate(year, second, first)
        : expandNumericDate(year, first, second)) ?? all,
  ],
  [
    new RegExp(
      String.raw`\b(${alternationPattern(weekdays.keys())})\.?\s?[-–]\s?(${alternationPattern(weekdays.keys())})\b\.?`,
      "g",
    ),
    (_, from = "", to = "") => `${weekdays.get(from) ?? from} to ${weekdays.get(to) ?? to}`,
  ],
  [
    new RegExp(
      String.raw`\b(${alternationPattern(weekdays.keys())})\.?(?=,? ${monthPattern})`,
      "g",
    ),
    (_, day = "") => weekdays.get(day) ?? day,
  ],
  // "June 30, 1945", "Oct. 12th", "June 5-7".
  [
    new RegExp(
      String.raw`\b(${monthPattern})\s+(\d{1,2})(?:st|nd|rd|th)?(?:\s?[-–]\s?(\d{1,2})(?:st|nd|rd|th)?)?` +
        String.raw`(?![\p{L}\d:%/]|[.,]\d|\s?(?:million|billion|percent|%|[ap]\.?m\b))`,
      "gu",
    ),
    (all, month = "", day = "", endDay = "") =>
      !isDay(day) || (endDay !== "" && !isDay(endDay))
        ? all
        : `${toMonthName(month)} ${toDayName(day)}${endDay === "" ? "" : ` to ${toDayName(endDay)}`}`,
  ],
  // "21 November 2026", "5 June": day first, as outside the United States.
  [
    new RegExp(
      String.raw`(?<![\d.,:/$£€-])(the )?(\d{1,2}) (${monthPattern})(?= \d{4}\b|(?![\p{L}\d]))`,
      "giu",
    ),
    (all, article = "", day = "", month = "") =>
      !isDay(day) || /^(?:may|mar|march)$/i.test(month)
        ? all
        : `${article || "the "}${toDayName(day)} of ${toMonthName(month)}`,
  ],
  [
    new RegExp(String.raw`(?<![\d.,:/$£€-])(\d{1,2}) (May|March)(?= \d{4}\b)`, "g"),
    (all, day = "", month = "") => (isDay(day) ? `the ${toDayName(day)} of ${month}` : all),
  ],
  [
    new RegExp(String.raw`\b(${monthPattern})(?=,? \d{4}\b)`, "g"),
    (_, month = "") => toMonthName(month),
  ],
  [
    new RegExp(
      String.raw`(?<=\d(?:st|nd|rd|th)?(?: of)? )(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?`,
      "g",
    ),
    (_, month = "") => toMonthName(month),
  ],
  // Old ordinals: "the 2d and the 3d of May".
  [
    /(?<=\bthe )(\d{0,2}[23])d(?= (?:of|and|day|instant|ultimo)\b)/g,
    (_, day = "") => ordinalWords(day).join("-"),
  ],
  // Without `meridiemPattern`: a look at the end of the text from every position would take quadratic time.
  [/(?<=\d(?:\s?[ap]\.?\s?m\b\.?)?)\s?[-–]\s?(?=\d{1,2}(?::\d\d|\s?[ap]\.?m))/gi, " to "],
  [
    new RegExp(
      String.raw`(?<![\d:.])${clockPattern}${meridiemPattern}?(?:\s?(${zonePattern})\b)?(?![\d:])`,
      "gi",
    ),
    (_, hour = "", minute = "", second = "", meridiem = "", zone = "") =>
      expandTime(hour, minute, second, meridiem) + expandZone(zone),
  ],
  [
    new RegExp(
      String.raw`(?<![\d:.])(1[0-2]|0?[1-9])${meridiemPattern}(?:\s?(${zonePattern})\b)?(?![\w])`,
      "gi",
    ),
    (_, hour = "", meridiem = "", zone = "") =>
      expandTime(hour, "00", "", meridiem) + expandZone(zone),
  ],
  [/(?<![\d:.])(\d{1,4}):(\d{1,4})(?![\d:])/g, "$1 to $2"],
];

export function expandDates(text: string): string {
  return applyNormalizationRules(text, rules);
}
