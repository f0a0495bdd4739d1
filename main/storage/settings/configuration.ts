// Channels, routing, prices and ports, stored in the database. Returns the same object until something changes, so that
// callers may compare by identity.

import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  defaultPrices,
  type PriceTable,
  priceTable,
  type Routing,
  routing,
} from "../../contract/channels.ts";
import {
  defaultWyomingSettings,
  wyomingSettings,
  type WyomingSettings,
} from "../../contract/wyoming.ts";
import { feedSettings, type FeedSettings } from "../../contract/podcast-feed.ts";
import { portNumber } from "../../contract/port-number.ts";
import type { Database } from "../database.ts";
import type { Log } from "../../log.ts";
import { createStoredChannels, type StoredChannels } from "./stored-channels.ts";
import { createStoredValues } from "./stored-values.ts";

export type Configuration = StoredChannels & {
  routing(): Routing;
  setRouting(routing: Routing): void;
  /** Default prices, overridden by those that were set. */
  prices(): PriceTable;
  /** Replaces all prices that were set before. */
  setPrices(prices: PriceTable): void;
  /** Whether the API is open to the local network, as chosen in the window. */
  isNetworkOpen(): boolean;
  setNetworkOpen(isOpen: boolean): void;
  /** Whether Offline is switched on, as chosen in the window. */
  isOffline(): boolean;
  setOffline(isOffline: boolean): void;
  /** The podcast feed; undefined if it was never switched on. */
  podcastFeed(): FeedSettings | undefined;
  setPodcastFeed(feed: FeedSettings): void;
  /** The port for Home Assistant, as set in the window. */
  wyoming(): WyomingSettings;
  setWyoming(settings: WyomingSettings): void;
  /** Port of the API, as chosen in the window; undefined if none was chosen. */
  apiPort(): number | undefined;
  setApiPort(port: number): void;
  /** Port of the first start of the window; undefined before that. */
  windowPort(): number | undefined;
  /** Only the first value is stored. */
  saveWindowPort(port: number): void;
  /** Path of the last session's cookie; undefined before the first session. */
  windowPath(): string | undefined;
  saveWindowPath(path: string): void;
  /** Random id of this database, to distinguish servers. */
  instanceId(): string;
};

/** May come from an older version. */
const storedRouting = routing.extend({ shareLongFiles: z.unknown().optional() });

type SettingName =
  | "routing"
  | "prices"
  | "network-open"
  | "offline"
  | "podcast-feed"
  | "wyoming"
  | "api-port"
  | "window-port"
  | "window-path"
  | "instance-id";

export function createConfiguration(database: Database, log: Log): Configuration {
  const { sqlite } = database;
  const selectSetting = sqlite.prepare("SELECT value FROM settings WHERE name = ?");
  const upsertSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const insertSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
  );
  const values = createStoredValues(database, log);
  let instanceId: string | undefined;

  const read = (name: SettingName): string | undefined =>
    selectSetting.get(name)?.["value"] as string | undefined;

  const cached = <T>(name: SettingName, convert: (text: string | undefined) => T): (() => T) =>
    values.cached(() => read(name), Object.is, convert);

  const cachedPort = (name: SettingName, label: string): (() => number | undefined) =>
    cached(name, (text) =>
      text === undefined ? undefined : values.parse(portNumber, text, label),
    );

  function save(name: SettingName, value: string): void {
    database.change(() => upsertSetting.run(name, value));
  }

  return {
    ...createStoredChannels(database, values),
    routing: cached("routing", (text = "{}") => {
      const { shareLongFiles, ...value } =
        values.parse(storedRouting, text, "the routing") ?? storedRouting.parse({});
      if (shareLongFiles === true) values.noteRemoval("shareLongFiles");
      return value;
    }),
    setRouting: (value) => save("routing", JSON.stringify(value)),
    prices: cached("prices", (text = "{}") => ({
      ...defaultPrices,
      ...values.parse(priceTable, text, "the price table"),
    })),
    setPrices: (value) => save("prices", JSON.stringify(value)),
    isNetworkOpen: cached("network-open", (text) => text === "true"),
    setNetworkOpen: (isOpen) => save("network-open", String(isOpen)),
    isOffline: cached("offline", (text) => text === "true"),
    setOffline: (isOffline) => save("offline", String(isOffline)),
    podcastFeed: cached("podcast-feed", (text) =>
      text === undefined ? undefined : values.parse(feedSettings, text, "the podcast feed"),
    ),
    setPodcastFeed: (feed) => save("podcast-feed", JSON.stringify(feed)),
    wyoming: cached("wyoming", (text) =>
      text === undefined
        ? defaultWyomingSettings
        : (values.parse(wyomingSettings, text, "the port for Home Assistant") ??
          defaultWyomingSettings),
    ),
    setWyoming: (settings) => save("wyoming", JSON.stringify(settings)),
    apiPort: cachedPort("api-port", "the API's port"),
    setApiPort: (port) => save("api-port", String(port)),
    windowPort: cachedPort("window-port", "the window's port"),
    saveWindowPort(port) {
      if (read("window-port") === undefined)
        values.saveOptional(() => insertSetting.run("window-port", String(port)));
    },
    windowPath: () => read("window-path"),
    saveWindowPath: (path) => values.saveOptional(() => upsertSetting.run("window-path", path)),
    instanceId() {
      const stored = (instanceId ??= read("instance-id"));
      if (stored !== undefined) return stored;
      const newId = randomBytes(8).toString("hex");
      // If a command in another process stored an id first, that one is used.
      values.saveOptional(() => insertSetting.run("instance-id", newId));
      return (instanceId = read("instance-id") ?? newId);
    },
  };
}
