import { join } from "node:path";
import { expect, it } from "vitest";
import {
  type ChannelConfig,
  type ChannelInput,
  channelFields,
  defaultPrices,
} from "../../../../main/contract/channels.ts";
import type { Database } from "../../../../main/storage/database.ts";
import { createLog } from "../../../../main/log.ts";
import { createConfiguration } from "../../../../main/storage/settings/configuration.ts";
import { runInOtherProcess, openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";

function configurationOf(database: Database) {
  const lines: string[] = [];
  return {
    configuration: createConfiguration(
      database,
      createLog("warn", { write: (line) => void lines.push(line) }),
    ),
    lines,
  };
}

const channel = (id: string, more: Partial<ChannelInput> = {}): ChannelConfig => ({
  ...channelFields.parse({ name: id, baseUrl: `https://${id}.example/v1/`, prefix: id, ...more }),
  id,
});

it("keeps channels in the order in which they were created", () => {
  const database = openTestLibrary();
  const { configuration } = configurationOf(database);
  expect(configuration.channels()).toEqual([]);
  const [b, a] = [
    channel("b", { modelNames: { ours: "theirs" }, limits: { totalMs: 1000 } }),
    channel("a", { enabled: false }),
  ];
  configuration.saveChannel(b);
  configuration.saveChannel(a);
  expect(configuration.channels()).toEqual([b, a]);
  configuration.saveChannel({ ...b, weight: 7 });
  expect(configuration.channels()).toEqual([{ ...b, weight: 7 }, a]);
  expect(configurationOf(database).configuration.channels()).toEqual([{ ...b, weight: 7 }, a]);
  expect([configuration.removeChannel("b"), configuration.removeChannel("b")]).toEqual([
    true,
    false,
  ]);
  expect(configuration.channels()).toEqual([a]);
});

it("returns the same objects until they change, whatever else is written", () => {
  const database = openTestLibrary();
  const { configuration } = configurationOf(database);
  configuration.saveChannel(channel("a"));
  configuration.saveChannel(channel("b"));
  const [channels, routing, prices] = [
    configuration.channels(),
    configuration.routing(),
    configuration.prices(),
  ];
  database.change(() => {});
  expect(configuration.channels()).toBe(channels);
  expect(configuration.routing()).toBe(routing);
  expect(configuration.prices()).toBe(prices);
  configuration.saveChannel(channel("b", { weight: 2 }));
  expect(configuration.channels()).not.toBe(channels);
  expect(configuration.channels()[0]).toBe(channels[0]);
  expect(configuration.channels()[1]).toMatchObject({ weight: 2 });
});

it("stores the routing, which has a default", () => {
  const { configuration } = configurationOf(openTestLibrary());
  expect(configuration.routing()).toEqual({ aliases: {}, prefer: "listed" });
  configuration.setRouting({ aliases: { "tts-1": ["groq/a", "tts-1"] }, prefer: "local" });
  expect(configuration.routing()).toEqual({
    aliases: { "tts-1": ["groq/a", "tts-1"] },
    prefer: "local",
  });
});

it("ignores a stored setting of a removed feature, and logs it once, not at each start", () => {
  const database = openTestLibrary();
  const { configuration, lines } = configurationOf(database);
  database.sqlite.exec(
    `INSERT INTO settings VALUES ('routing', '{"aliases":{},"prefer":"cloud","shareLongFiles":true}')`,
  );
  for (let turn = 0; turn < 3; turn += 1) {
    database.change(() => {});
    expect(configuration.routing()).toEqual({ aliases: {}, prefer: "cloud" });
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("'shareLongFiles' has no effect any more");
  const nextStart = configurationOf(database);
  expect(nextStart.configuration.routing()).toEqual({ aliases: {}, prefer: "cloud" });
  expect(nextStart.lines).toEqual([]);
});

it("ignores such a setting of channels, and logs it once for all of them if it was changed", () => {
  const database = openTestLibrary();
  const { configuration, lines } = configurationOf(database);
  const channels = [channel("a"), channel("b")];
  const save = (sharesLongFiles: boolean): void => {
    const stored = channels.map((config) => ({ ...config, sharesLongFiles }));
    for (const config of stored) configuration.saveChannel(config);
  };
  save(true);
  expect(configuration.channels()).toEqual(channels);
  expect(lines).toEqual([]);
  save(false);
  expect(configuration.channels()).toEqual(channels);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("'sharesLongFiles' has no effect any more");
  const nextStart = configurationOf(database);
  expect(nextStart.configuration.channels()).toEqual(channels);
  expect(nextStart.lines).toEqual([]);
});

it("adds the configured prices to the default ones", () => {
  const { configuration } = configurationOf(openTestLibrary());
  expect(configuration.prices()).toEqual(defaultPrices);
  configuration.setPrices({ "tts-1": {}, "groq/whisper": { perMinuteUsd: 0.001 } });
  expect(configuration.prices()).toEqual({
    ...defaultPrices,
    "tts-1": {},
    "groq/whisper": { perMinuteUsd: 0.001 },
  });
  configuration.setPrices({});
  expect(configuration.prices()).toEqual(defaultPrices);
});

it("skips invalid values, and logs it once", () => {
  const database = openTestLibrary();
  const { configuration, lines } = configurationOf(database);
  configuration.saveChannel(channel("good"));
  const { sqlite } = database;
  sqlite.exec(
    `INSERT INTO channels VALUES ('older', '{"name":"older"}', 5), ('odd', 'no JSON', 6)`,
  );
  sqlite.exec(
    `INSERT INTO settings VALUES ('routing', '[]'), ('prices', '{"tts-1":{"perMinuteUsd":-1}}')`,
  );
  for (let turn = 0; turn < 3; turn += 1) {
    database.change(() => {});
    expect(configuration.channels()).toEqual([channel("good")]);
    expect(configuration.routing().prefer).toBe("listed");
    expect(configuration.prices()).toEqual(defaultPrices);
  }
  configuration.saveChannel(channel("another"));
  expect(configuration.channels().map(({ id }) => id)).toEqual(["good", "another"]);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
    ["the channel 'older'", "the channel 'odd'", "the routing", "the price table"].map(
      (what) => `${what} in the library is invalid and ignored`,
    ),
  );
});

it("shares one instance id with commands in other processes", async () => {
  const path = join(await openTestFolder(), "library.db");
  const { configuration } = configurationOf(openTestLibrary(path));
  const source = `
    import { openDatabase } from '$main/storage/database.ts';
    import { createConfiguration } from '$main/storage/settings/configuration.ts';
    const database = openDatabase(process.argv[1]);
    const configuration = createConfiguration(database, console);
    console.log(configuration.instanceId());
    database.close();`;
  const outcomes = await Promise.all(
    Array.from({ length: 3 }, () => runInOtherProcess(source, [path])),
  );
  expect(new Set(outcomes.map(({ stdout }) => stdout.trim()))).toEqual(
    new Set([configuration.instanceId()]),
  );
  expect(configuration.instanceId()).toMatch(/^[0-9a-f]{16}$/);
  expect(configurationOf(openTestLibrary()).configuration.instanceId()).not.toBe(
    configuration.instanceId(),
  );
});
