// Storage of usage records, with totals for reports and per key for budgets. A record is written at once if there was
// no recent write, else in batches; a killed process loses the batch. Write errors are logged and block no request. See
// pricing.ts for costs.

import type { UsageGroup, UsageRecord, UsageTotals } from "../contract/usage.ts";
import type { Log } from "../log.ts";
import { isBusy } from "../storage/load-sqlite.ts";
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

export type Usage = {
  /** Queues the record and writes it in the background, within a fifth of a second. Never throws. */
  add(record: UsageRecord): void;
  /** Days in order, other groups by number of requests. Records that could not be written yet are missing. */
  sum(query: UsageQuery): UsageTotals[];
  /** Spending of a key since then in US dollars; with `countsLocal` plus what it saved. */
  spentUsd(key: string, sinceMs: number, countsLocal: boolean): number;
  /** Writes the queued records. The database stays open. */
  close(): void;
};

/** Between two writes. */
const writeIntervalMs = 200;
/** After a failure other than a busy database. */
const retryDelayMs = 5_000;
/** Wait for a writer in another process while requests are served; after that, retry at the next write. */
const busyTimeoutMs = 20;
/** At shutdown, waiting blocks no request. */
const closeBusyTimeoutMs = 5_000;
/** Maximum queue while the disk cannot be written; then the oldest records are dropped. */
const maxQueuedRecords = 50_000;

/** Records, and daily totals of removed older records, within a time range. */
const totalsSql = (group: string, isByKey: boolean): string => `
  SELECT "group", sum(requests) AS requests, total(failed) AS failed, total(audioSec) AS audioSec, total(characters) AS characters,
    total(receivedBytes) AS receivedBytes, total(sentBytes) AS sentBytes, total(spentUsd) AS spentUsd, total(savedUsd) AS savedUsd, total(unpriced) AS unpriced
  FROM (
    SELECT coalesce(${group}, '') AS "group", count(*) AS requests, ${recordTotalsSql} FROM usage WHERE ${rangeSql(isByKey)} GROUP BY 1
    UNION ALL
    SELECT ${group}, sum(requests), total(failed), total(audio_sec), total(characters), total(received_bytes), total(sent_bytes), total(spent_usd), total(saved_usd), total(unpriced)
    FROM usage_days WHERE ${rangeSql(isByKey)} GROUP BY 1
  ) GROUP BY 1 ORDER BY requests DESC, 1`;

const rangeSql = (isByKey: boolean): string =>
  `at_ms >= ?1 AND at_ms < ?2 ${isByKey ? "AND key = ?3" : ""}`;

/** Spending of a key since a time, with queued records. */
type KeySpending = { sinceMs: number; spentUsd: number; savedUsd: number };

export function createUsage(database: Database, log: Log): Usage {
  const { sqlite } = database;
  const insertRecord = sqlite.prepare(
    `INSERT INTO usage (at_ms, key, endpoint, model, channel, audio_sec, characters, status, duration_ms, received_bytes, sent_bytes, spent_usd, saved_usd)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectSpent = sqlite.prepare(
    "SELECT total(spent_usd) AS spent, total(saved_usd) AS saved FROM usage WHERE key = ? AND at_ms >= ?",
  );

  const selectExtent = sqlite.prepare(
    `SELECT min(first) AS first, max(last) AS last FROM (
       SELECT min(at_ms) AS first, max(at_ms) AS last FROM usage_days WHERE at_ms >= ?1 AND at_ms < ?2
       UNION ALL
       SELECT (SELECT min(at_ms) FROM usage WHERE at_ms >= ?1 AND at_ms < ?2), (SELECT max(at_ms) FROM usage WHERE at_ms >= ?1 AND at_ms < ?2)
     )`,
  );

  let queued: UsageRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let lastWriteMs = -Infinity;
  let isFailing = false;
  const spendingByKey = new Map<string, KeySpending>();

  function count(
    atMs: number,
    key: string,
    spentUsd: number | null | undefined,
    savedUsd: number | null | undefined,
  ): void {
    const sum = spendingByKey.get(key);
    if (sum === undefined || atMs < sum.sinceMs) return;
    sum.spentUsd += spentUsd ?? 0;
    sum.savedUsd += savedUsd ?? 0;
  }

  /** @returns whether the queue is empty */
  function flush(waitMs = busyTimeoutMs): boolean {
    clearTimeout(timer);
    timer = undefined;
    if (queued.length === 0) return true;
    lastWriteMs = performance.now();
    try {
      database.write(() => {
        for (const record of queued) insertRecord.run(...toRow(record));
      }, waitMs);
      queued = [];
      if (isFailing) log.warn("usage is written again");
      isFailing = false;
      return true;
    } catch (error) {
      const isBusyError = isBusy(error);
      if (!isBusyError && !isFailing)
        log.error(
          { reason: (error as Error).message, waiting: queued.length },
          "usage cannot be written",
        );
      isFailing ||= !isBusyError;
      if (queued.length > maxQueuedRecords) {
        log.error({ lost: queued.length - maxQueuedRecords }, "usage records were given up");
        queued = queued.slice(-maxQueuedRecords);
      }
      scheduleWrite();
      return false;
    }
  }

  function scheduleWrite(): void {
    timer ??= setTimeout(
      () => flush(),
      isFailing ? retryDelayMs : Math.max(0, lastWriteMs + writeIntervalMs - performance.now()),
    ).unref();
  }

  return {
    add(record) {
      queued.push(record);
      count(record.atMs, record.key, record.spentUsd, record.savedUsd);
      scheduleWrite();
    },
    sum({ by, fromMs = 0, untilMs = Number.MAX_SAFE_INTEGER, key }) {
      flush();
      const selectTotals = sqlite.prepare(
        totalsSql(by === "day" ? "'day'" : by, key !== undefined),
      );
      const totalsBetween = (from: number, until: number): UsageTotals[] =>
        selectTotals
          .all(from, until, ...(key === undefined ? [] : [key]))
          .map((sum) => ({ ...sum }) as UsageTotals);
      if (by !== "day") return totalsBetween(fromMs, untilMs);
      // One query per day, by the index: SQLite's date functions would cost several times as much as the sums.
      const { first, last } = selectExtent.get(fromMs, untilMs) as {
        first: number | null;
        last: number | null;
      };
      const days: UsageTotals[] = [];
      for (let day = startOfDay(first ?? Infinity); day.getTime() <= (last ?? -Infinity);) {
        const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
        const [sum] = totalsBetween(
          Math.max(fromMs, day.getTime()),
          Math.min(untilMs, next.getTime()),
        );
        if (sum !== undefined) days.push({ ...sum, group: formatDay(day) });
        day = next;
      }
      return days;
    },
    spentUsd(key, sinceMs, countsLocal) {
      let sum = spendingByKey.get(key);
      if (sum?.sinceMs !== sinceMs) {
        const stored = selectSpent.get(key, sinceMs);
        sum = { sinceMs, spentUsd: Number(stored?.["spent"]), savedUsd: Number(stored?.["saved"]) };
        spendingByKey.set(key, sum);
        for (const record of queued)
          if (record.key === key) count(record.atMs, key, record.spentUsd, record.savedUsd);
      }
      return countsLocal ? sum.spentUsd + sum.savedUsd : sum.spentUsd;
    },
    close() {
      if (!flush(closeBusyTimeoutMs)) log.error({ lost: queued.length }, "usage records were lost");
      clearTimeout(timer);
      queued = [];
    },
  };
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

function toRow(record: UsageRecord): (string | number | null)[] {
  const {
    atMs,
    key,
    endpoint,
    model,
    channel,
    audioSec,
    characters,
    status,
    durationMs,
    receivedBytes,
    sentBytes,
    spentUsd,
    savedUsd,
  } = record;
  return [
    atMs,
    key,
    endpoint,
    model,
    channel,
    audioSec ?? null,
    characters ?? null,
    status,
    durationMs,
    receivedBytes,
    sentBytes,
    spentUsd ?? null,
    savedUsd ?? null,
  ];
}
