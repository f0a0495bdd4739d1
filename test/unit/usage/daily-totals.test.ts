import { expect, it, onTestFinished, vi } from "vitest";
import type { UsageRecord } from "../../../main/contract/usage.ts";
import type { Database } from "../../../main/storage/database.ts";
import { createUsage } from "../../../main/usage/records.ts";
import { createUsageDays } from "../../../main/usage/daily-totals.ts";
import { createLog } from "../../../main/log.ts";
import { openTestLibrary } from "../../support/library.ts";
import { quietLog } from "../../support/app.ts";

const nowMs = new Date(2026, 10, 21, 15).getTime();
/** Start of the first day whose records are kept: 13 months earlier. */
const keptFromMs = new Date(2025, 9, 21).getTime();

const record = (atMs: number, more: Partial<UsageRecord> = {}): UsageRecord => ({
  atMs,
  key: "key_a",
  endpoint: "speech",
  model: "tts-1",
  channel: "local",
  audioSec: 0.5,
  characters: 10,
  status: 200,
  durationMs: 1,
  receivedBytes: 100,
  sentBytes: 1000,
  spentUsd: 0.25,
  savedUsd: 0.5,
  ...more,
});

function open(database: Database, { batchSize = 7 } = {}) {
  const usage = createUsage(database, quietLog);
  const lines: string[] = [];
  const days = createUsageDays(
    database,
    createLog("warn", { write: (line) => void lines.push(line) }),
    { now: () => nowMs, batchSize, pauseMs: 0 },
  );
  onTestFinished(() => {
    days.close();
    usage.close();
  });
  return { usage, days, lines };
}

const count = ({ sqlite }: Database, table: string) =>
  Number(sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);

/** Two years of records at irregular times, some of them failed, unpriced or without a caller; the last one is new. */
const records = Array.from({ length: 400 }, (_, at) => {
  if (at === 399) return record(nowMs);
  const atMs = new Date(2024, 10, 21 + ((at * 37) % 730), (at * 7) % 24, at % 60).getTime();
  return record(atMs, {
    key: at % 3 === 0 ? "key_b" : "key_a",
    model: at % 2 === 0 ? "groq/whisper" : "tts-1",
    channel: ["local", "groq", ""][at % 3] ?? "",
    status: at % 5 === 0 ? 502 : 200,
    spentUsd: at % 7 === 0 ? undefined : 0.25,
    audioSec: at % 4 === 0 ? undefined : 0.5,
  });
});

function reports({ usage }: ReturnType<typeof open>) {
  const [fromMs, untilMs] = [new Date(2025, 1, 10).getTime(), new Date(2025, 10, 10).getTime()];
  return (["day", "model", "channel", "key"] as const).flatMap((by) => [
    usage.sum({ by }),
    usage.sum({ by, fromMs, untilMs }),
    usage.sum({ by, key: "key_b", untilMs }),
  ]);
}

it("keeps every report unchanged, and no record that is older than 13 months", async () => {
  const database = openTestLibrary();
  const opened = open(database);
  for (const one of records) opened.usage.add(one);
  const before = reports(opened);
  await opened.days.aggregate();
  expect(count(database, "usage")).toBe(records.filter(({ atMs }) => atMs >= keptFromMs).length);
  expect(count(database, "usage_days")).toBeGreaterThan(100);
  expect(reports(opened)).toEqual(before);
  // A second run adds nothing.
  await opened.days.aggregate();
  expect(reports(opened)).toEqual(before);
  expect(opened.lines).toEqual([]);
});

it("works in small transactions that alternate with other work", async () => {
  const database = openTestLibrary();
  const { usage, days } = open(database, { batchSize: 100 });
  for (let at = 0; at < 1_000; at += 1)
    usage.add(record(new Date(2025, 0, 1 + (at % 3), 12).getTime() + at));
  usage.sum({ by: "day" });
  const write = vi.spyOn(database, "write");
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 0);
  await days.aggregate();
  clearInterval(turning);
  expect(count(database, "usage")).toBe(0);
  expect(write.mock.calls.length).toBeGreaterThanOrEqual(10);
  expect(turns).toBeGreaterThanOrEqual(5);
});
