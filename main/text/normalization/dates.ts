// Dates with the day first: `21/11/2026`, `2026-11-21`, `5 abr. 2026`.

import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "./normalization-rules.ts";

export type DateWords = {
  /** January to December. */
  readonly months: readonly string[];
  /** Abbreviations without a full stop, January to December, several separated by `|`. */
  readonly shortMonths: readonly string[];
  readonly shortWeekdays: ReadonlyMap<string, string>;
  /** Between day and month, in a pattern: " de " or " ". */
  readonly ofMonth: string;
  readonly ofYear: string;
  /** The first of a month, where it is an ordinal. */
  readonly firstDay?: string;
  readonly cardinal: (digits: string) => string;
  readonly readYear: (digits: string) => string;
};

export function createDateReader(words: DateWords): (text: string) => string {
  const { months, shortMonths, shortWeekdays, ofMonth, ofYear } = words;
  const monthIndexes = new Map(
    shortMonths.flatMap((names, index) => names.split("|").map((name) => [name, index] as const)),
  );
  const fullMonths = new Map(months.map((name, index) => [name, index] as const));
  const readDay = (day: string): string =>
    Number(day) === 1 && words.firstDay !== undefined
      ? words.firstDay
      : words.cardinal(String(Number(day)));
  const readDate = (day: string, month: number, year: string): string | undefined => {
    const name = months[month];
    if (name === undefined || Number(day) < 1 || Number(day) > 31) return undefined;
    return `${readDay(day)}${ofMonth}${name}${year === "" ? "" : ofYear + words.readYear(year)}`;
  };
  const weekdayPattern = alternationPattern(shortWeekdays.keys());
  const monthPattern =
    `(?:(${alternationPattern(fullMonths.keys())})` +
    `|(${alternationPattern(monthIndexes.keys())})(?:\\.(?!\\s*$))?)`;
  const rules: readonly NormalizationRule[] = [
    [
      new RegExp(
        String.raw`(?<![\p{L}\p{N}])(${weekdayPattern})\.?(,? )` +
          String.raw`(?=\d{1,2}\.?[º°]?(?:er)? (?:de )?\p{L})`,
        "giu",
      ),
      (_, day = "", space = "") => (shortWeekdays.get(day.toLowerCase()) ?? day) + space,
    ],
    [
      /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])/g,
      (all, year = "", month = "", day = "") => readDate(day, Number(month) - 1, year) ?? all,
    ],
    [
      /(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-]|\.\d)/g,
      (all, day = "", _sign = "", month = "", year = "") =>
        readDate(day, Number(month) - 1, year) ?? all,
    ],
    [
      new RegExp(
        String.raw`(?<![\p{L}\d.,:])(\d{1,2})(?:\.?[º°]|er)?(?: de)? ${monthPattern}` +
          String.raw`(?:(?:,? de|,)? (\d{4})(?!\d))?(?![\p{L}\d])`,
        "giu",
      ),
      (all, day = "", full = "", short = "", year = "") =>
        readDate(
          day,
          fullMonths.get(full.toLowerCase()) ?? monthIndexes.get(short.toLowerCase()) ?? -1,
          year,
        ) ?? all,
    ],
  ];
  return (text) => applyNormalizationRules(text, rules);
}
