// Storage of usage records (record-queue.ts), with totals for reports (totals.ts) and per key for budgets. See
// pricing.ts for costs.

import type { UsageRecord, UsageTotals } from "../contract/usage.ts";
import type { Log } from "../log.ts";
import type { Database } from "../storage/database.ts";
import { createRecordQueue } from "./record-queue.ts";
import { readTotals, type UsageQuery } from "./totals.ts";

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

/** Spending of a key since a time, with queued records. */
type KeySpending = { sinceMs: number; spentUsd: number; savedUsd: number };

export function createUsage(database: Database, log: Log): Usage {
  const selectSpent = database.sqlite.prepare(
    `SELECT total(spent_usd) AS spentUsd, total(saved_usd) AS savedUsd
     FROM usage WHERE key = ? AND at_ms >= ?`,
  );
  const queue = createRecordQueue(database, log);
  const spendingByKey = new Map<string, KeySpending>();

  function count({ atMs, key, spentUsd = 0, savedUsd = 0 }: UsageRecord): void {
    const sum = spendingByKey.get(key);
    if (sum === undefined || atMs < sum.sinceMs) return;
    sum.spentUsd += spentUsd;
    sum.savedUsd += savedUsd;
  }

  return {
    add(record) {
      queue.add(record);
      count(record);
    },
    sum(query) {
      queue.flush();
      return readTotals(database, query);
    },
    spentUsd(key, sinceMs, countsLocal) {
      let sum = spendingByKey.get(key);
      if (sum?.sinceMs !== sinceMs) {
        const stored = selectSpent.get(key, sinceMs) as { spentUsd: number; savedUsd: number };
        sum = { sinceMs, ...stored };
        spendingByKey.set(key, sum);
        for (const record of queue.queued()) if (record.key === key) count(record);
      }
      return countsLocal ? sum.spentUsd + sum.savedUsd : sum.spentUsd;
    },
    close: queue.close,
  };
}
