import { expect, it, onTestFinished } from "vitest";
import type { Purpose } from "../../../main/contract/network.ts";
import { createLog } from "../../../main/log.ts";
import { createDepartures } from "../../../main/network/departures.ts";
import { openDatabase } from "../../../main/storage/database.ts";

const channel: Purpose = { kind: "channel", name: "Cloud" };
const update: Purpose = { kind: "update", name: "" };
const dayMs = 86_400_000;
/** Noon, local time. */
const noonMs = new Date(2026, 10, 21, 12).getTime();

function open() {
  const database = openDatabase(":memory:");
  const clock = { ms: noonMs };
  const logged: string[] = [];
  const log = createLog("warn", { write: (line) => void logged.push(line) });
  const departures = createDepartures(database, log, () => clock.ms);
  onTestFinished(() => {
    departures.close();
    database.close();
  });
  return { database, departures, clock, logged, log };
}

it("sums up requests by day, host and purpose, the latest first", () => {
  const { departures, clock } = open();
  departures.add("cloud.test", channel, { requests: 1, sentBytes: 100 });
  departures.add("cloud.test", channel, { receivedBytes: 5_000 });
  departures.list();
  clock.ms += 60_000;
  departures.add("cloud.test", channel, { requests: 1, sentBytes: 50 });
  departures.add("cloud.test", update, { requests: 1 });
  clock.ms += dayMs;
  departures.add("other.test", update, { requests: 1, sentBytes: 7, receivedBytes: 8 });
  // What was queued on the day before is written with the day of its last request.
  expect(departures.list()).toEqual([
    {
      day: "2026-11-22",
      host: "other.test",
      purpose: update,
      requests: 1,
      sentBytes: 7,
      receivedBytes: 8,
      lastAtMs: noonMs + 60_000 + dayMs,
    },
    {
      day: "2026-11-21",
      host: "cloud.test",
      purpose: channel,
      requests: 2,
      sentBytes: 150,
      receivedBytes: 5_000,
      lastAtMs: noonMs + 60_000,
    },
    {
      day: "2026-11-21",
      host: "cloud.test",
      purpose: update,
      requests: 1,
      sentBytes: 0,
      receivedBytes: 0,
      lastAtMs: noonMs + 60_000,
    },
  ]);
});

it("keeps 90 days", () => {
  const { database, departures, clock } = open();
  departures.add("cloud.test", channel, { requests: 1 });
  departures.list();
  clock.ms = new Date(2027, 1, 18, 12).getTime();
  expect(departures.list()).toHaveLength(1);
  clock.ms += dayMs;
  expect(departures.list()).toEqual([]);
  expect(database.sqlite.prepare("SELECT count(*) AS n FROM departures").get()).toEqual({ n: 0 });
});

it("forgets everything when the list is cleared", () => {
  const { departures } = open();
  departures.add("cloud.test", channel, { requests: 1 });
  departures.list();
  departures.add("other.test", channel, { requests: 1 });
  departures.clear();
  expect(departures.list()).toEqual([]);
});

it("writes what is queued when it is closed", () => {
  const { database, departures, log } = open();
  departures.add("cloud.test", channel, { requests: 1 });
  departures.close();
  expect(createDepartures(database, log, () => noonMs).list()).toHaveLength(1);
});

it("keeps what cannot be written, and says so once", () => {
  const { database, departures, logged } = open();
  database.sqlite.exec("ALTER TABLE departures RENAME TO hidden");
  departures.add("cloud.test", channel, { requests: 1 });
  departures.close();
  departures.close();
  expect(logged).toHaveLength(1);
  database.sqlite.exec("ALTER TABLE hidden RENAME TO departures");
  expect(departures.list()).toMatchObject([{ host: "cloud.test", requests: 1 }]);
});
