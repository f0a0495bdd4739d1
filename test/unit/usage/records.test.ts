import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { UsageRecord } from "../../../main/contract/usage.ts";
import type { Database } from "../../../main/storage/database.ts";
import { createUsage } from "../../../main/usage/records.ts";
import { createLog } from "../../../main/log.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";

const noonMs = new Date(2026, 10, 21, 12).getTime();
const dayMs = 86_400_000;

const record = (more: Partial<UsageRecord> = {}): UsageRecord => ({
  atMs: noonMs,
  key: "key_a",
  endpoint: "transcriptions",
  model: "whisper-1",
  channel: "local",
  audioSec: 60,
  characters: undefined,
  status: 200,
  durationMs: 12.5,
  receivedBytes: 1000,
  sentBytes: 100,
  spentUsd: 0,
  savedUsd: 0.006,
  ...more,
});

function usageOf(database: Database) {
  const lines: string[] = [];
  const usage = createUsage(
    database,
    createLog("warn", { write: (line) => void lines.push(line) }),
  );
  onTestFinished(() => usage.close());
  return { usage, lines };
}

const stored = ({ sqlite }: Database) =>
  Number(sqlite.prepare("SELECT count(*) AS n FROM usage").get()?.["n"]);

it("are totalled by day, model, channel and key", () => {
  const { usage } = usageOf(openTestLibrary());
  usage.add(record());
  usage.add(record({ key: "owner", status: 400, audioSec: undefined, savedUsd: 0 }));
  usage.add(
    record({
      atMs: noonMs + dayMs,
      endpoint: "speech",
      model: "groq/tts",
      channel: "groq",
      audioSec: undefined,
      characters: 500,
      spentUsd: undefined,
      savedUsd: 0,
    }),
  );
  usage.add(
    record({
      atMs: noonMs - dayMs,
      model: "groq/tts",
      channel: "groq",
      audioSec: 30,
      spentUsd: 0.25,
      savedUsd: 0,
    }),
  );
  const none = {
    requests: 1,
    failed: 0,
    audioSec: 0,
    characters: 0,
    receivedBytes: 1000,
    sentBytes: 100,
    spentUsd: 0,
    savedUsd: 0,
    unpriced: 0,
  };
  expect(usage.sum({ by: "day" })).toEqual([
    { ...none, group: "2026-11-20", audioSec: 30, spentUsd: 0.25 },
    {
      ...none,
      group: "2026-11-21",
      requests: 2,
      failed: 1,
      audioSec: 60,
      receivedBytes: 2000,
      sentBytes: 200,
      savedUsd: 0.006,
    },
    { ...none, group: "2026-11-22", characters: 500, unpriced: 1 },
  ]);
  expect(usage.sum({ by: "channel" }).map(({ group, requests }) => [group, requests])).toEqual([
    ["groq", 2],
    ["local", 2],
  ]);
  expect(usage.sum({ by: "model" }).map(({ group }) => group)).toEqual(["groq/tts", "whisper-1"]);
  expect(usage.sum({ by: "key" }).map(({ group, requests }) => [group, requests])).toEqual([
    ["key_a", 3],
    ["owner", 1],
  ]);
  expect(usage.sum({ by: "key", key: "owner", fromMs: noonMs, untilMs: noonMs + 1 })).toMatchObject(
    [{ group: "owner", requests: 1 }],
  );
  expect(usage.sum({ by: "day", fromMs: noonMs + 1, untilMs: noonMs + dayMs })).toEqual([]);
});

it("handles days with 23 and 25 hours", () => {
  const zone = process.env["TZ"];
  process.env["TZ"] = "Europe/Berlin";
  onTestFinished(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });
  const { usage } = usageOf(openTestLibrary());
  // The clocks went back in the night to 2026-10-25 and forward in the night to 2026-03-29.
  for (const at of [
    "2026-10-24T23:30:00+02:00",
    "2026-10-25T00:30:00+02:00",
    "2026-10-25T23:30:00+01:00",
    "2026-10-26T00:30:00+01:00",
    "2026-03-28T23:59:59.999+01:00",
    "2026-03-29T23:30:00+02:00",
  ]) {
    usage.add(record({ atMs: Date.parse(at) }));
  }
  expect(usage.sum({ by: "day" }).map(({ group, requests }) => [group, requests])).toEqual([
    ["2026-03-28", 1],
    ["2026-03-29", 1],
    ["2026-10-24", 1],
    ["2026-10-25", 2],
    ["2026-10-26", 1],
  ]);
});

it("are written at once after a quiet period, and in one batch a moment later under load", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const database = openTestLibrary();
  const { usage } = usageOf(database);
  const storedAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return stored(database);
  };
  usage.add(record());
  expect(storedAfter(1)).toBe(1);
  usage.add(record());
  usage.add(record());
  expect(storedAfter(100)).toBe(1);
  expect(storedAfter(100)).toBe(3);
  expect(storedAfter(1000)).toBe(3);
  usage.add(record());
  expect(storedAfter(1)).toBe(4);
});

it("are written at the end, and only once", () => {
  const database = openTestLibrary();
  const { usage } = usageOf(database);
  usage.add(record());
  usage.close();
  usage.close();
  expect(stored(database)).toBe(1);
});

it("returns what a key has spent, including records that are not written yet, for different periods", () => {
  const database = openTestLibrary();
  const { usage } = usageOf(database);
  const sinceMs = noonMs - dayMs;
  const spent = (key = "key_a", countsLocal = false) => usage.spentUsd(key, sinceMs, countsLocal);
  const paid = (usd: number, more: Partial<UsageRecord> = {}) =>
    usage.add(record({ spentUsd: usd, savedUsd: 1, ...more }));
  paid(0.5);
  paid(4, { atMs: sinceMs - 1 });
  paid(8, { key: "key_b" });
  expect([spent(), spent("key_a", true), spent("nobody")]).toEqual([0.5, 1.5, 0]);
  paid(0.25);
  expect(spent()).toBe(0.75);
  usage.sum({ by: "day" });
  expect(spent()).toBe(0.75);
  paid(0.25, { spentUsd: undefined });
  paid(0.25);
  expect(spent()).toBe(1);
  // Query another month, then this one again.
  expect(usage.spentUsd("key_a", sinceMs - 1, false)).toBe(5);
  expect(spent()).toBe(1);
  expect(usageOf(database).usage.spentUsd("key_b", sinceMs, false)).toBe(8);
});

it("does not block when the disk rejects writes: logs it once, and writes later", () => {
  const database = openTestLibrary();
  const { usage, lines } = usageOf(database);
  database.sqlite.exec("PRAGMA query_only = ON");
  for (let turn = 0; turn < 3; turn += 1) {
    usage.add(record({ spentUsd: 1 }));
    expect(usage.sum({ by: "day" })).toEqual([]);
  }
  expect(usage.spentUsd("key_a", 0, false)).toBe(3);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "error",
    msg: "usage cannot be written",
    waiting: 1,
  });
  database.sqlite.exec("PRAGMA query_only = OFF");
  expect(usage.sum({ by: "day" })).toMatchObject([{ requests: 3 }]);
  expect(usage.spentUsd("key_a", 0, false)).toBe(3);
});

it("waits until a full disk has space again, and reports at the end what was lost", () => {
  const database = openTestLibrary();
  const { usage, lines } = usageOf(database);
  database.sqlite.exec("PRAGMA max_page_count = 1");
  for (let n = 0; n < 1000; n += 1) usage.add(record());
  expect(usage.sum({ by: "day" })).toEqual([]);
  database.sqlite.exec("PRAGMA max_page_count = 100000");
  expect(usage.sum({ by: "day" })).toMatchObject([{ requests: 1000 }]);
  database.sqlite.exec("PRAGMA query_only = ON");
  usage.add(record());
  usage.close();
  expect(lines.at(-1)).toContain('"lost":1');
});

it("does not wait long for a writer in another process while requests are served", async () => {
  const path = join(await openTestFolder(), "library.db");
  const [database, other] = [openTestLibrary(path), openTestLibrary(path)];
  const { usage, lines } = usageOf(database);
  other.sqlite.exec("BEGIN IMMEDIATE");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  usage.add(record());
  const beganMs = performance.now();
  vi.advanceTimersByTime(200);
  expect(performance.now() - beganMs).toBeLessThan(2_000);
  expect(stored(database)).toBe(0);
  other.sqlite.exec("ROLLBACK");
  vi.advanceTimersByTime(200);
  expect(stored(database)).toBe(1);
  expect(lines).toEqual([]);
});
