// Days of a usage chart, in local time.

import type { UsageTotals } from "../../../main/contract/usage.ts";

export const ranges = [7, 30, 90] as const;
export type RangeDays = (typeof ranges)[number];
export const metrics = ["requests", "transcribed", "characters", "spent", "saved"] as const;
export type Metric = (typeof metrics)[number];

const padTwoDigits = (value: number) => String(value).padStart(2, "0");

/** The last `count` days up to `now`, as `2026-11-21`; today is last. */
export function lastDays(count: number, now: Date): string[] {
  return Array.from({ length: count }, (_, index) => {
    // At noon, a change of daylight saving time cannot move it to another day.
    const day = new Date(
      now.getFullYear(),
      now.getMonth(),
      now.getDate() - (count - 1 - index),
      12,
    );
    return `${day.getFullYear()}-${padTwoDigits(day.getMonth() + 1)}-${padTwoDigits(day.getDate())}`;
  });
}

/** Requests, minutes, characters or US dollars. */
function metricValue(sum: UsageTotals, metric: Metric): number {
  const values = {
    requests: sum.requests,
    transcribed: sum.audioSec / 60,
    characters: sum.characters,
    spent: sum.spentUsd,
    saved: sum.savedUsd,
  };
  return values[metric];
}

/** A value for each day, 0 if there was no request. */
export function dailyValues(
  days: readonly string[],
  sums: readonly UsageTotals[],
  metric: Metric,
): { day: string; value: number }[] {
  const byDay = new Map(sums.map((sum) => [sum.group, sum]));
  return days.map((day) => {
    const sum = byDay.get(day);
    return { day, value: sum === undefined ? 0 : metricValue(sum, metric) };
  });
}
