// Totals of usage records, and of the daily totals that replace old records, for reports.

import type { UsageGroup, UsageTotals } from "../contract/usage.ts";
import type { Database } from "../storage/database.ts";
import { recordTotalsSql } from "./daily-totals.ts";

export type UsageQuery = {
  by: UsageGroup;
  /** Unix milliseconds, inclusive. */
  fromMs?: number;
  /** Unix milliseconds, exclusive. */
  untilMs?: number;
  key?: string;
};

const rangeSql = (isByKey: boolean): string =>
  `at_ms >= ?1 AND at_ms < ?2 ${isByKey ? "AND key = ?3" : ""}`;

/** @param group SQL expression */
const totalsSql = (group: string, isByKey: boolean): string => `
  SELECT "group", sum(requests) AS requests, total(failed) AS failed,
    total(audioSec) AS audioSec, total(characters) AS characters,
    total(receivedBytes) AS receivedBytes, total(sentBytes) AS sentBytes,
    total(spentUsd) AS spentUsd, total(savedUsd) AS savedUsd, total(unpriced) AS unpriced
  FROM (
    SELECT coalesce(${group}, '') AS "group", count(*) AS requests, ${recordTotalsSql}
    FROM usage WHERE ${rangeSql(isByKey)} GROUP BY 1
    UNION ALL
    SELECT ${group}, sum(requests), total(failed), total(audio_sec), total(characters),
      total(received_bytes), total(sent_bytes), total(spent_usd), total(saved_usd), total(unpriced)
    FROM usage_days WHERE ${rangeSql(isByKey)} GROUP BY 1
  ) GROUP BY 1 ORDER BY requests DESC, 1`;

/** Times of the first and the last record. */
const extentSql = `
  SELECT min(first) AS first, max(last) AS last FROM (
    SELECT min(at_ms) AS first, max(at_ms) AS last FROM usage_days WHERE at_ms >= ?1 AND at_ms < ?2
    UNION ALL
    SELECT
      (SELECT min(at_ms) FROM usage WHERE at_ms >= ?1 AND at_ms < ?2),
      (SELECT max(at_ms) FROM usage WHERE at_ms >= ?1 AND at_ms < ?2)
  )`;

/** Days in order, other groups by number of requests. */
export function readTotals(
  { sqlite }: Pick<Database, "sqlite">,
  { by, fromMs = 0, untilMs = Number.MAX_SAFE_INTEGER, key }: UsageQuery,
): UsageTotals[] {
  const selectTotals = sqlite.prepare(totalsSql(by === "day" ? "'day'" : by, key !== undefined));
  const totalsBetween = (from: number, until: number): UsageTotals[] =>
    selectTotals
      .all(from, until, ...(key === undefined ? [] : [key]))
      .map((sum) => ({ ...sum }) as UsageTotals);
  if (by !== "day") return totalsBetween(fromMs, untilMs);
  // One query per day, by the index: SQLite's date functions would cost several times as much as the sums.
  const { first, last } = sqlite.prepare(extentSql).get(fromMs, untilMs) as {
    first: number | null;
    last: number | null;
  };
  const days: UsageTotals[] = [];
  for (let day = startOfDay(first ?? Infinity); day.getTime() <= (last ?? -Infinity);) {
    const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
    const [sum] = totalsBetween(Math.max(fromMs, day.getTime()), Math.min(untilMs, next.getTime()));
    if (sum !== undefined) days.push({ ...sum, group: formatDay(day) });
    day = next;
  }
  return days;
}

function startOfDay(atMs: number): Date {
  const day = new Date(atMs);
  day.setHours(0, 0, 0, 0);
  return day;
}

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** In local time: `2026-11-21`. */
function formatDay(day: Date): string {
  return `${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`;
}
