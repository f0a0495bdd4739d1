// Dates and times of day: `2026-11-21`, `11/21/2026`, `Nov. 21`, `21 November 2026`, `14:05`, `9:30 am EST`.

import { ordinal } from "../number-words.ts";
import { type Rule, anyOf, applyRules, letters } from "./rule.ts";

const months =
  "January February March April May June July August September October November December".split(
    " ",
  );
const shortMonths = new Map(months.map((month) => [month.slice(0, 3).toLowerCase(), month]));
const fullMonth = months.join("|");
const anyMonth = `(?:${fullMonth}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\b\\.?)`;
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
const zones = anyOf(
  "EST EDT CST CDT MST MDT PST PDT ET CT MT PT GMT UTC BST CET CEST IST JST AEST Z".split(" "),
);
/** A full stop after it that ends the text is the text's. */
const half = String.raw`(?:\s?([ap])\.?\s?m\b(?:\.(?!\s*["')\]]*$))?)`;
const clock = String.raw`([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,6})?)?`;

const monthName = (written: string): string =>
  shortMonths.get(written.slice(0, 3).toLowerCase()) ?? written;
const dayName = (digits: string): string => ordinal(digits).join("-");
const isDay = (digits: string): boolean => Number(digits) >= 1 && Number(digits) <= 31;

function numericDate(year: string, month: string, day: string): string | undefined {
  const name = months[Number(month) - 1];
  if (name === undefined || !isDay(day)) return undefined;
  const spokenYear = year.length === 4 ? year : year.startsWith("0") ? `oh ${year.slice(1)}` : year;
  return `${name} ${dayName(day)}, ${spokenYear}`;
}

function sayTime(hour: string, minute: string, second: string, meridiem: string): string {
  const hours = String(Number(hour));
  const minutes = minute === "00" ? "" : minute.startsWith("0") ? `oh ${minute.slice(1)}` : minute;
  const suffix = meridiem === "" ? "" : ` ${letters(`${meridiem}m`)}`;
  if (second !== "")
    return `${hours} ${minutes || "oh oh"} ${second === "00" ? "" : `and ${Number(second)} seconds`}${suffix}`;
  if (minutes !== "") return `${hours} ${minutes}${suffix}`;
  return suffix !== ""
    ? hours + suffix
    : Number(hour) >= 1 && Number(hour) <= 12
      ? `${hours} o'clock`
      : `${hours} hundred`;
}

/** `Z` is how ISO 8601 writes UTC. */
function zoneName(zone: string): string {
  return zone === "" ? "" : ` ${letters(zone.toUpperCase() === "Z" ? "UTC" : zone)}`;
}

const rules: readonly Rule[] = [
  [
    /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?:T(?=\d{2}:\d{2})|(?![\d-]))/g,
    (all, year = "", month = "", day = "") =>
      (numericDate(year, month, day) ?? all) + (all.endsWith("T") ? " at " : ""),
  ],
  [
    /(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?![\d/])/g,
    (all, first = "", second = "", year = "") =>
      (Number(first) > 12 ? numericDate(year, second, first) : numericDate(year, first, second)) ??
      all,
  ],
  [
    new RegExp(
      String.raw`\b(${anyOf(weekdays.keys())})\.?\s?[-–]\s?(${anyOf(weekdays.keys())})\b\.?`,
      "g",
    ),
    (_, from = "", to = "") => `${weekdays.get(from) ?? from} to ${weekdays.get(to) ?? to}`,
  ],
  [
    new RegExp(String.raw`\b(${anyOf(weekdays.keys())})\.?(?=,? ${anyMonth})`, "g"),
    (_, day = "") => weekdays.get(day) ?? day,
  ],
  // "June 30, 1945", "Oct. 12th", "June 5-7".
  [
    new RegExp(
      String.raw`\b(${anyMonth})\s+(\d{1,2})(?:st|nd|rd|th)?(?:\s?[-–]\s?(\d{1,2})(?:st|nd|rd|th)?)?(?![\p{L}\d:%/]|[.,]\d|\s?(?:million|billion|percent|%|[ap]\.?m\b))`,
      "gu",
    ),
    (all, month = "", day = "", until = "") =>
      !isDay(day) || (until !== "" && !isDay(until))
        ? all
        : `${monthName(month)} ${dayName(day)}${until === "" ? "" : ` to ${dayName(until)}`}`,
  ],
  // "21 November 2026", "5 June": the day first, as the rest of the world writes it.
  [
    new RegExp(
      String.raw`(?<![\d.,:/$£€-])(the )?(\d{1,2}) (${anyMonth})(?= \d{4}\b|(?![\p{L}\d]))`,
      "giu",
    ),
    (all, article = "", day = "", month = "") =>
      !isDay(day) || /^(?:may|mar|march)$/i.test(month)
        ? all
        : `${article || "the "}${dayName(day)} of ${monthName(month)}`,
  ],
  [
    new RegExp(String.raw`(?<![\d.,:/$£€-])(\d{1,2}) (May|March)(?= \d{4}\b)`, "g"),
    (all, day = "", month = "") => (isDay(day) ? `the ${dayName(day)} of ${month}` : all),
  ],
  [new RegExp(String.raw`\b(${anyMonth})(?=,? \d{4}\b)`, "g"), (_, month = "") => monthName(month)],
  [
    new RegExp(
      String.raw`(?<=\d(?:st|nd|rd|th)?(?: of)? )(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?`,
      "g",
    ),
    (_, month = "") => monthName(month),
  ],
  // Old ordinals: "the 2d and the 3d of May".
  [
    /(?<=\bthe )(\d{0,2}[23])d(?= (?:of|and|day|instant|ultimo)\b)/g,
    (_, day = "") => ordinal(day).join("-"),
  ],
  [new RegExp(String.raw`(?<=\d${half}?)\s?[-–]\s?(?=\d{1,2}(?::\d\d|\s?[ap]\.?m))`, "gi"), " to "],
  [
    new RegExp(String.raw`(?<![\d:.])${clock}${half}?(?:\s?(${zones})\b)?(?![\d:])`, "gi"),
    (_, hour = "", minute = "", second = "", meridiem = "", zone = "") =>
      sayTime(hour, minute, second, meridiem) + zoneName(zone),
  ],
  [
    new RegExp(String.raw`(?<![\d:.])(1[0-2]|0?[1-9])${half}(?:\s?(${zones})\b)?(?![\w])`, "gi"),
    (_, hour = "", meridiem = "", zone = "") => sayTime(hour, "00", "", meridiem) + zoneName(zone),
  ],
  [/(?<![\d:.])(\d{1,4}):(\d{1,4})(?![\d:])/g, "$1 to $2"],
];

export function readDates(text: string): string {
  return applyRules(text, rules);
}
