// Writes usage records: at once if there was no recent write, else in batches; a killed process loses the batch. Write
// errors are logged and block no request.

import type { UsageRecord } from "../contract/usage.ts";
import type { Log } from "../log.ts";
import { isBusy } from "../storage/load-sqlite.ts";
import type { Database } from "../storage/database.ts";

export type RecordQueue = {
  /** Writes the record in the background, within a fifth of a second. Never throws. */
  add(record: UsageRecord): void;
  /** Records that are not written yet. */
  queued(): readonly UsageRecord[];
  /** Writes the queued records now; they stay queued on failure. */
  flush(): void;
  /** Writes the queued records, or gives them up. */
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

export function createRecordQueue(database: Database, log: Log): RecordQueue {
  const insertRecord = database.sqlite.prepare(
    `INSERT INTO usage (at_ms, key, endpoint, model, channel, audio_sec, characters, status, duration_ms,
       received_bytes, sent_bytes, spent_usd, saved_usd)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  let queued: UsageRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let lastWriteMs = -Infinity;
  let isFailing = false;

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
        log.error({ lost: queued.length - maxQueuedRecords }, "usage records were dropped");
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
      scheduleWrite();
    },
    queued: () => queued,
    flush: () => void flush(),
    close() {
      if (!flush(closeBusyTimeoutMs)) log.error({ lost: queued.length }, "usage records were lost");
      clearTimeout(timer);
      queued = [];
    },
  };
}

const toRow = (record: UsageRecord): (string | number | null)[] => [
  record.atMs,
  record.key,
  record.endpoint,
  record.model,
  record.channel,
  record.audioSec ?? null,
  record.characters ?? null,
  record.status,
  record.durationMs,
  record.receivedBytes,
  record.sentBytes,
  record.spentUsd ?? null,
  record.savedUsd ?? null,
];
