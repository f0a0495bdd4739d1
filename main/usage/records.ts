// What requests used: kept a record each, summed for people, and by key for budgets. A record is written at once
// where none was lately, else a handful at a time: so much is lost with a process that is killed. A disk that takes
// none is logged and holds no request up. See usage/pricing.ts for what a request cost.

import type { UsageGroup, UsageRecord, UsageSum } from "../contract/usage.ts";
import type { Log } from "../log.ts";
import { isBusy } from "../storage/load-sqlite.ts";
import type { Database } from "../storage/database.ts";
import { recordSums } from "./daily-totals.ts";

export type UsageQuery = {
  by: UsageGroup;
  /** Unix milliseconds, inclusive. */
  fromMs?: number;
  /** Unix milliseconds, exclusive. */
  untilMs?: number;
  key?: string;
};

export type Usage = {
  /** Takes the record at once and writes it behind the request's back, at most a fifth of a second later. Never throws. */
  add(record: UsageRecord): void;
  /** Days in their order, anything else by the number of requests. What could not be written yet is missing. */
  sum(query: UsageQuery): UsageSum[];
  /** What a key has spent since then, in US dollars, by every process; with `countsLocal` what it saved too. */
  spentUsd(key: string, sinceMs: number, countsLocal: boolean): number;
  /** Writes what is left. The database stays open. */
  close(): void;
};

/** Between two writes. */
const writeEveryMs = 200;
/** After a failure that is none of a moment. */
const againAfterMs = 5_000;
/** A writer in another process is waited for so long while requests are served; then at the next turn. */
const patienceMs = 20;
/** At the end nobody else is held up. */
const lastPatienceMs = 5_000;
/** So many wait for a disk that takes none; then the oldest are given up. */
const maxWaiting = 50_000;

/** Records, and the daily sums of those that were removed for their age, from one time up to another. */
const sumsBy = (group: string, ofKey: boolean): string => `
  SELECT "group", sum(requests) AS requests, total(failed) AS failed, total(audioSec) AS audioSec, total(characters) AS characters,
    total(receivedBytes) AS receivedBytes, total(sentBytes) AS sentBytes, total(spentUsd) AS spentUsd, total(savedUsd) AS savedUsd, total(unpriced) AS unpriced
  FROM (
    SELECT coalesce(${group}, '') AS "group", count(*) AS requests, ${recordSums} FROM usage WHERE ${between(ofKey)} GROUP BY 1
    UNION ALL
    SELECT ${group}, sum(requests), total(failed), total(audio_sec), total(characters), total(received_bytes), total(sent_bytes), total(spent_usd), total(saved_usd), total(unpriced)
    FROM usage_days WHERE ${between(ofKey)} GROUP BY 1
  ) GROUP BY 1 ORDER BY requests DESC, 1`;

const between = (ofKey: boolean): string =>
  `at_ms >= ?1 AND at_ms < ?2 ${ofKey ? "AND key = ?3" : ""}`;

/** What a key spent since a time: the rows up to `seenId`, and the records that wait. */
type Spent = { sinceMs: number; spentUsd: number; savedUsd: number };

export function createUsage(database: Database, log: Log): Usage {
  const { sqlite } = database;
  const insert = sqlite.prepare(
    `INSERT INTO usage (at_ms, key, endpoint, model, channel, audio_sec, characters, status, duration_ms, received_bytes, sent_bytes, spent_usd, saved_usd)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const lastId = sqlite.prepare("SELECT coalesce(max(id), 0) AS id FROM usage");
  const newer = sqlite.prepare(
    "SELECT id, at_ms, key, spent_usd, saved_usd FROM usage WHERE id > ? ORDER BY id",
  );
  const spentByKey = sqlite.prepare(
    "SELECT total(spent_usd) AS spent, total(saved_usd) AS saved FROM usage WHERE key = ? AND at_ms >= ? AND id <= ?",
  );

  const extent = sqlite.prepare(
    `SELECT min(first) AS first, max(last) AS last FROM (
       SELECT min(at_ms) AS first, max(at_ms) AS last FROM usage_days WHERE at_ms >= ?1 AND at_ms < ?2
       UNION ALL
       SELECT (SELECT min(at_ms) FROM usage WHERE at_ms >= ?1 AND at_ms < ?2), (SELECT max(at_ms) FROM usage WHERE at_ms >= ?1 AND at_ms < ?2)
     )`,
  );

  let waiting: UsageRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let wroteAtMs = -Infinity;
  let failing = false;
  const spent = new Map<string, Spent>();
  let seenId = 0;
  let seenVersion = -1;

  function count(
    atMs: number,
    key: string,
    spentUsd: number | null | undefined,
    savedUsd: number | null | undefined,
  ): void {
    const sum = spent.get(key);
    if (sum === undefined || atMs < sum.sinceMs) return;
    sum.spentUsd += spentUsd ?? 0;
    sum.savedUsd += savedUsd ?? 0;
  }

  /** Counts what other processes have written since. Ids grow with every commit, so none is missed or met twice. */
  function catchUp(): void {
    if (spent.size === 0) {
      seenId = Number(lastId.get()?.["id"]);
      return;
    }
    for (const { id, at_ms, key, spent_usd, saved_usd } of newer.iterate(seenId)) {
      count(Number(at_ms), String(key), spent_usd as number | null, saved_usd as number | null);
      seenId = Number(id);
    }
  }

  /** @returns whether nothing waits any more */
  function flush(waitMs = patienceMs): boolean {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return true;
    wroteAtMs = performance.now();
    try {
      const last = database.write(() => {
        catchUp();
        let id: number | bigint = seenId;
        for (const record of waiting) id = insert.run(...row(record)).lastInsertRowid;
        return Number(id);
      }, waitMs);
      // Own records were counted when they came.
      seenId = last;
      waiting = [];
      if (failing) log.warn("usage is written again");
      failing = false;
      return true;
    } catch (error) {
      const busy = isBusy(error);
      if (!busy && !failing)
        log.error(
          { reason: (error as Error).message, waiting: waiting.length },
          "usage cannot be written",
        );
      failing ||= !busy;
      if (waiting.length > maxWaiting) {
        log.error({ lost: waiting.length - maxWaiting }, "usage records were given up");
        waiting = waiting.slice(-maxWaiting);
      }
      writeLater();
      return false;
    }
  }

  function writeLater(): void {
    timer ??= setTimeout(
      () => flush(),
      failing ? againAfterMs : Math.max(0, wroteAtMs + writeEveryMs - performance.now()),
    ).unref();
  }

  return {
    add(record) {
      waiting.push(record);
      count(record.atMs, record.key, record.spentUsd, record.savedUsd);
      writeLater();
    },
    sum({ by, fromMs = 0, untilMs = Number.MAX_SAFE_INTEGER, key }) {
      flush();
      const sums = sqlite.prepare(sumsBy(by === "day" ? "'day'" : by, key !== undefined));
      const sumsWithin = (from: number, until: number): UsageSum[] =>
        sums
          .all(from, until, ...(key === undefined ? [] : [key]))
          .map((sum) => ({ ...sum }) as UsageSum);
      if (by !== "day") return sumsWithin(fromMs, untilMs);
      // Day after day by the index: SQLite's own calendar would cost several times as much as the sums.
      const { first, last } = extent.get(fromMs, untilMs) as {
        first: number | null;
        last: number | null;
      };
      const days: UsageSum[] = [];
      for (let day = startOfDay(first ?? Infinity); day.getTime() <= (last ?? -Infinity);) {
        const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
        const [sum] = sumsWithin(
          Math.max(fromMs, day.getTime()),
          Math.min(untilMs, next.getTime()),
        );
        if (sum !== undefined) days.push({ ...sum, group: nameOfDay(day) });
        day = next;
      }
      return days;
    },
    spentUsd(key, sinceMs, countsLocal) {
      const version = database.version();
      if (version !== seenVersion) catchUp();
      seenVersion = version;
      let sum = spent.get(key);
      if (sum?.sinceMs !== sinceMs) {
        catchUp();
        const stored = spentByKey.get(key, sinceMs, seenId);
        sum = { sinceMs, spentUsd: Number(stored?.["spent"]), savedUsd: Number(stored?.["saved"]) };
        spent.set(key, sum);
        for (const record of waiting)
          if (record.key === key) count(record.atMs, key, record.spentUsd, record.savedUsd);
      }
      return countsLocal ? sum.spentUsd + sum.savedUsd : sum.spentUsd;
    },
    close() {
      if (!flush(lastPatienceMs)) log.error({ lost: waiting.length }, "usage records were lost");
      clearTimeout(timer);
      waiting = [];
    },
  };
}

function startOfDay(atMs: number): Date {
  const day = new Date(atMs);
  day.setHours(0, 0, 0, 0);
  return day;
}

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** Of local time: `2026-11-21`. */
function nameOfDay(day: Date): string {
  return `${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`;
}

function row(record: UsageRecord): (string | number | null)[] {
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
