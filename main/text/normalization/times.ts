// Times of day and durations: `14:30`, `14h30`, `13.45 h`, `3 p. m.`, `1:23:45`.

import { type NormalizationRule, applyNormalizationRules } from "./normalization-rules.ts";

export type Time = {
  readonly hour: number;
  readonly minute: number;
  readonly second: number | undefined;
  /** An h was written: "14h", "13.45 h". */
  readonly hasUnit: boolean;
  /** 12-hour clock. */
  readonly meridiem: "am" | "pm" | undefined;
};

export type TimeWords = {
  readonly readTime: (time: Time) => string;
  /** Between two times: "9:00-17:00". */
  readonly until: string;
  /** Words before a time with a full stop: "alle 13.45". */
  readonly beforeTimes: string;
};

export function createTimeReader({
  readTime,
  until,
  beforeTimes,
}: TimeWords): (text: string) => string {
  const read = (
    all: string,
    hour: string,
    minute: string,
    second: string,
    unit: string,
    meridiem: string,
  ): string => {
    // The full stop of "p. m." at the end of the text also ends the sentence.
    const stop = meridiem !== "" && all.endsWith(".") ? "." : "";
    return (
      readTime({
        hour: Number(hour),
        minute: Number(minute),
        second: second === "" ? undefined : Number(second),
        hasUnit: unit !== "",
        meridiem: meridiem === "" ? undefined : meridiem.toLowerCase() === "a" ? "am" : "pm",
      }) + stop
    );
  };
  const unitPattern = String.raw`(?: ?(h|hs|hrs)(?![\p{L}\d]))`;
  const meridiemPattern = String.raw`(?: ?([ap])\.? ?m(?![\p{L}\d])(?:\.(?!\s*\p{Lu}))?)`;
  const rules: readonly NormalizationRule[] = [
    [/(?<=\d(?::\d\d| ?h(?:\d\d)?)) ?[-–] ?(?=\d{1,2}(?::\d\d| ?h))/g, ` ${until} `],
    [
      new RegExp(
        String.raw`(?<![\p{L}\d:.,])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?` +
          String.raw`(?:${unitPattern}|${meridiemPattern})?(?![\d:])`,
        "giu",
      ),
      (all, hour = "", minute = "", second = "", unit = "", meridiem = "") =>
        read(all, hour, minute, second, unit, meridiem),
    ],
    [
      new RegExp(
        String.raw`(?<![\p{L}\d:.,])([01]?\d|2[0-4]) ?[hH] ?([0-5]\d)?(?: ?min\.?)?(?![\p{L}\d/])`,
        "gu",
      ),
      (all, hour = "", minute = "") => read(all, hour, minute, "", "h", ""),
    ],
    [
      new RegExp(
        String.raw`(?<=(?:^|[^\p{L}])(?:${beforeTimes}))([01]?\d|2[0-4])\.([0-5]\d)${unitPattern}?(?![\d.,]\d|\d)`,
        "giu",
      ),
      (all, hour = "", minute = "", unit = "") => read(all, hour, minute, "", unit, ""),
    ],
    [
      new RegExp(String.raw`(?<![\p{L}\d:.,])(1[0-2]|0?[1-9])${meridiemPattern}`, "giu"),
      (all, hour = "", meridiem = "") => read(all, hour, "", "", "", meridiem),
    ],
  ];
  return (text) => applyNormalizationRules(text, rules);
}
