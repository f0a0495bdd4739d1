// Record of what left the machine: sums by day, host and purpose, kept for 90 days. Written in batches in the
// background; a process that is killed loses the last second. Write errors are logged and stop no connection.

import { departureDays, purpose, type Departure, type Purpose } from "../contract/network.ts";
import type { Log } from "../log.ts";
import type { Database } from "../storage/database.ts";

type Counts = Pick<Departure, "requests" | "sentBytes" | "receivedBytes">;
export type DepartureCounts = Partial<Counts>;

export type Departures = {
  /** Adds to the sums of today. Never throws. */
  add(host: string, purpose: Purpose, counts: DepartureCounts): void;
  /** The latest day first, within a day the latest request. */
  list(): Departure[];
  clear(): void;
  /** Writes what is queued. The database stays open. */
  close(): void;
};

const writeIntervalMs = 1_000;
/** Wait for a writer in another process while requests are served; after that, retry at the next write. */
const busyTimeoutMs = 20;

const localDay = (parameter: string, offset = ""): string =>
  `date(${parameter} / 1000, 'unixepoch', 'localtime'${offset})`;

export function createDepartures(
  database: Database,
  log: Log,
  /** Unix milliseconds. */ now: () => number = Date.now,
): Departures {
  const { sqlite } = database;
  const firstDay = localDay("?1", `, '-${departureDays - 1} days'`);
  const addCounts = sqlite.prepare(`
    INSERT INTO departures (day, host, purpose, name, requests, sent_bytes, received_bytes, last_at_ms)
    VALUES (${localDay("?1")}, ?2, ?3, ?4, ?5, ?6, ?7, ?1)
    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, sent_bytes = sent_bytes + excluded.sent_bytes,
      received_bytes = received_bytes + excluded.received_bytes, last_at_ms = excluded.last_at_ms`);
  const deleteOld = sqlite.prepare(`DELETE FROM departures WHERE day < ${firstDay}`);
  const deleteAll = sqlite.prepare("DELETE FROM departures");
  const selectAll = sqlite.prepare(
    `SELECT * FROM departures WHERE day >= ${firstDay} ORDER BY day DESC, last_at_ms DESC, host, purpose, name`,
  );

  type Queued = Counts & { host: string; purpose: Purpose; atMs: number };
  let queued = new Map<string, Queued>();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      database.write(() => {
        deleteOld.run(now());
        for (const {
          host,
          purpose: of,
          atMs,
          requests,
          sentBytes,
          receivedBytes,
        } of queued.values())
          addCounts.run(atMs, host, of.kind, of.name, requests, sentBytes, receivedBytes);
      }, busyTimeoutMs);
      queued = new Map();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, "what left the machine could not be recorded yet");
      isFailing = true;
    }
  }

  return {
    add(host, of, { requests = 0, sentBytes = 0, receivedBytes = 0 }) {
      const key = JSON.stringify([host, of.kind, of.name]);
      const sum = queued.get(key) ?? {
        host,
        purpose: of,
        atMs: 0,
        requests: 0,
        sentBytes: 0,
        receivedBytes: 0,
      };
      sum.atMs = now();
      sum.requests += requests;
      sum.sentBytes += sentBytes;
      sum.receivedBytes += receivedBytes;
      queued.set(key, sum);
      timer ??= setTimeout(flush, writeIntervalMs).unref();
    },
    list() {
      flush();
      return selectAll.all(now()).map((row) => ({
        day: String(row["day"]),
        host: String(row["host"]),
        purpose: purpose.parse({ kind: row["purpose"], name: row["name"] }),
        requests: Number(row["requests"]),
        sentBytes: Number(row["sent_bytes"]),
        receivedBytes: Number(row["received_bytes"]),
        lastAtMs: Number(row["last_at_ms"]),
      }));
    },
    clear() {
      queued = new Map();
      database.change(() => deleteAll.run());
    },
    close() {
      if (queued.size > 0) flush();
      clearTimeout(timer);
    },
  };
}
