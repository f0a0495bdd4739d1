// Replaces usage records older than 13 months by totals per day, key, channel and model. Runs in the background in
// small batches; reports by day stay the same.

import { localChannelName } from "../contract/channels.ts";
import { isBusy } from "../storage/load-sqlite.ts";
import type { Log } from "../log.ts";
import type { Database } from "../storage/database.ts";

/** Columns of a report over rows of `usage`, besides their number. */
export const recordTotalsSql = `
    total(status >= 400) AS failed, total(audio_sec) AS audioSec, total(characters) AS characters,
    total(received_bytes) AS receivedBytes, total(sent_bytes) AS sentBytes,
    total(spent_usd) AS spentUsd, total(saved_usd) AS savedUsd,
    total(spent_usd IS NULL AND status < 400 AND channel NOT IN ('', '${localChannelName}')) AS unpriced`;

export type UsageDaysOptions = {
  /** Unix milliseconds. */
  now?(): number;
  /** Records per transaction. */
  batchSize?: number;
  /** Pause between two transactions, so that requests come first. */
  pauseMs?: number;
};

export type UsageDays = {
  /** Aggregates now, then once per day. */
  start(): void;
  /** Resolves when no old record is left, or aggregation failed for now. */
  aggregate(): Promise<void>;
  close(): void;
};

const retentionMonths = 13;
const aggregationIntervalMs = 86_400_000;
/** Takes a few milliseconds. */
const defaultBatchSize = 500;
const defaultPauseMs = 20;
/** Wait per attempt, and number of attempts, while another process writes. */
const busyTimeoutMs = 20;
const maxBusyRetries = 50;

export function createUsageDays(
  database: Database,
  log: Log,
  { now = Date.now, batchSize = defaultBatchSize, pauseMs = defaultPauseMs }: UsageDaysOptions = {},
): UsageDays {
  const { sqlite } = database;
  const selectOldest = sqlite.prepare("SELECT min(at_ms) AS atMs FROM usage WHERE at_ms < ?");
  // Records of one day. The bounds exclude rows that were added in the meantime.
  const batchSql = `SELECT id FROM usage WHERE at_ms >= ?1 AND at_ms < ?2 ORDER BY at_ms, id LIMIT ${batchSize}`;
  const insertTotals = sqlite.prepare(`
    INSERT INTO usage_days (at_ms, key, channel, model, requests, failed, audio_sec, characters,
      received_bytes, sent_bytes, spent_usd, saved_usd, unpriced)
    SELECT ?3, coalesce(key, ''), coalesce(channel, ''), coalesce(model, ''), count(*), ${recordTotalsSql}
    FROM usage WHERE id IN (${batchSql}) GROUP BY 2, 3, 4
    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, failed = failed + excluded.failed,
      audio_sec = audio_sec + excluded.audio_sec, characters = characters + excluded.characters,
      received_bytes = received_bytes + excluded.received_bytes, sent_bytes = sent_bytes + excluded.sent_bytes,
      spent_usd = spent_usd + excluded.spent_usd, saved_usd = saved_usd + excluded.saved_usd,
      unpriced = unpriced + excluded.unpriced`);
  const deleteBatch = sqlite.prepare(`DELETE FROM usage WHERE id IN (${batchSql})`);
  let timer: NodeJS.Timeout | undefined;
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  /** Aggregates one batch of the oldest day. @returns whether there were any records */
  function aggregateBatch(): boolean {
    const retentionEndMs = retentionStartMs(now());
    const first = selectOldest.get(retentionEndMs)?.["atMs"];
    if (typeof first !== "number") return false;
    const day = new Date(first);
    const [year, month, date] = [day.getFullYear(), day.getMonth(), day.getDate()];
    const endMs = Math.min(retentionEndMs, new Date(year, month, date + 1).getTime());
    database.write(() => {
      insertTotals.run(first, endMs, new Date(year, month, date, 12).getTime());
      deleteBatch.run(first, endMs);
    }, busyTimeoutMs);
    return true;
  }

  async function run(): Promise<void> {
    let busyRetries = 0;
    while (!closing.signal.aborted) {
      try {
        if (!aggregateBatch()) return;
        busyRetries = 0;
      } catch (error) {
        busyRetries += 1;
        if (!isBusy(error) || busyRetries === maxBusyRetries) {
          log.warn(
            { reason: (error as Error).message },
            "old usage records could not be summed up; it is tried again later",
          );
          return;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    }
  }

  function aggregate(): Promise<void> {
    running ??= run().finally(() => (running = undefined));
    return running;
  }

  return {
    start() {
      if (timer !== undefined || closing.signal.aborted) return;
      timer = setInterval(() => void aggregate(), aggregationIntervalMs).unref();
      void aggregate();
    },
    aggregate,
    close() {
      closing.abort();
      clearInterval(timer);
    },
  };
}

/** Retention covers whole days. */
function retentionStartMs(nowMs: number): number {
  const at = new Date(nowMs);
  return new Date(at.getFullYear(), at.getMonth() - retentionMonths, at.getDate()).getTime();
}
