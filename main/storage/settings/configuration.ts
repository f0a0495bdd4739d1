// Channels, routing and prices, stored in the database. Returns the same object until something changes, so that callers
// may compare by identity. Keys of channels are in provider-keys.ts.

import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  type ChannelConfig,
  channelFields,
  defaultPrices,
  type PriceTable,
  priceTable,
  type Routing,
  routing,
} from "../../contract/channels.ts";
import { AppError, toStorageError } from "../../contract/errors.ts";
import { removalNote } from "../../contract/removed-settings.ts";
import { portNumber } from "../../contract/studio-api.ts";
import type { Database } from "../database.ts";
import type { Log } from "../../log.ts";

export type Configuration = {
  /**
   * In creation order. Returns the same array until a channel changes, and the same object for an unchanged channel.
   */
  channels(): readonly ChannelConfig[];
  saveChannel(config: ChannelConfig): void;
  /** @returns whether the channel existed */
  removeChannel(id: string): boolean;
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
const storedChannel = channelFields.extend({ sharesLongFiles: z.unknown().optional() });
const storedRouting = routing.extend({ shareLongFiles: z.unknown().optional() });

/** Stored values that do not match their schema, written by an older version or by hand, are logged and ignored. */
export function createConfiguration(database: Database, log: Log): Configuration {
  const { sqlite } = database;
  const selectChannels = sqlite.prepare("SELECT id, config FROM channels ORDER BY place, id");
  const upsertChannel = sqlite.prepare(
    `INSERT INTO channels (id, config, place) VALUES (?, ?, (SELECT coalesce(max(place), 0) + 1 FROM channels))
     ON CONFLICT (id) DO UPDATE SET config = excluded.config`,
  );
  const deleteChannel = sqlite.prepare("DELETE FROM channels WHERE id = ?");
  const selectSetting = sqlite.prepare("SELECT value FROM settings WHERE name = ?");
  const upsertSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const insertSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
  );

  const readSetting = (name: string): string | undefined =>
    selectSetting.get(name)?.["value"] as string | undefined;

  function parseOrWarn<T>(schema: z.ZodType<T>, text: string, label: string): T | undefined {
    const { data, error } = z.string().transform(parseJson).pipe(schema).safeParse(text);
    if (error !== undefined)
      log.warn(
        { reason: z.prettifyError(error) },
        `${label} in the library makes no sense and is left out`,
      );
    return data;
  }

  /** Reads the source again after a change of the database, and converts it only if it differs. */
  function cacheUntilChanged<S, T>(
    read: () => S,
    isEqual: (a: S, b: S) => boolean,
    convert: (source: S) => T,
  ): () => T {
    let seenVersion = -1;
    let cached: { source: S; value: T } | undefined;
    return () => {
      let source: S;
      let version: number;
      try {
        version = database.version();
        if (cached !== undefined && version === seenVersion) return cached.value;
        source = read();
      } catch (error) {
        // If the library is damaged, keep serving requests with the cached value.
        if (cached === undefined) throw error;
        return cached.value;
      }
      if (cached === undefined || !isEqual(cached.source, source))
        cached = { source, value: convert(source) };
      seenVersion = version;
      return cached.value;
    };
  }

  const cachedSetting = <T>(name: string, convert: (text: string | undefined) => T): (() => T) =>
    cacheUntilChanged(() => readSetting(name), Object.is, convert);

  type ChannelRow = { id: string; config: string };
  let channelCache = new Map<string, { text: string; config: ChannelConfig | undefined }>();
  const notedRemovals = new Set<string>();

  /** Logs it once in the life of a data folder, or once per start if the disk rejects that to be stored. */
  function noteRemoval(name: string): void {
    const settingName = `removal-noted:${name}`;
    if (notedRemovals.has(name) || readSetting(settingName) !== undefined) return;
    notedRemovals.add(name);
    log.warn(removalNote(name) ?? "");
    saveOptional(() => insertSetting.run(settingName, "true"));
  }

  function asConfigs(rows: ChannelRow[]): ChannelConfig[] {
    const previousCache = channelCache;
    channelCache = new Map(
      rows.map(({ id, config: text }) => {
        const previous = previousCache.get(id);
        if (previous?.text === text) return [id, previous];
        const stored = parseOrWarn(storedChannel, text, `the channel '${id}'`);
        if (stored === undefined) return [id, { text, config: undefined }];
        const { sharesLongFiles, ...fields } = stored;
        // `true` was the default.
        if (sharesLongFiles === false) noteRemoval("sharesLongFiles");
        return [id, { text, config: { ...fields, id } }];
      }),
    );
    return Array.from(channelCache.values(), ({ config }) => config).filter(
      (config) => config !== undefined,
    );
  }

  let instanceId: string | undefined;

  /** Writes a value for the next start, which is optional: storage errors are only logged. */
  function saveOptional(work: () => void): void {
    try {
      database.change(work);
    } catch (error) {
      if (
        toStorageError(error) === undefined &&
        !(error instanceof AppError && error.key === "library_unavailable")
      )
        throw error;
      log.warn({ err: error }, "a setting could not be kept for the next start");
    }
  }

  return {
    channels: cacheUntilChanged(
      () => selectChannels.all() as ChannelRow[],
      (a, b) =>
        a.length === b.length &&
        a.every(({ id, config }, at) => id === b[at]?.id && config === b[at].config),
      asConfigs,
    ),
    saveChannel({ id, ...fields }) {
      database.change(() => upsertChannel.run(id, JSON.stringify(fields)));
    },
    removeChannel: (id) => database.change(() => deleteChannel.run(id).changes > 0),
    routing: cachedSetting("routing", (text = "{}") => {
      const { shareLongFiles, ...value } =
        parseOrWarn(storedRouting, text, "the routing") ?? storedRouting.parse({});
      if (shareLongFiles === true) noteRemoval("shareLongFiles");
      return value;
    }),
    setRouting(value) {
      database.change(() => upsertSetting.run("routing", JSON.stringify(value)));
    },
    prices: cachedSetting("prices", (text = "{}") => ({
      ...defaultPrices,
      ...parseOrWarn(priceTable, text, "the price table"),
    })),
    setPrices(value) {
      database.change(() => upsertSetting.run("prices", JSON.stringify(value)));
    },
    isNetworkOpen: cachedSetting("network-open", (text) => text === "true"),
    setNetworkOpen(isOpen) {
      database.change(() => upsertSetting.run("network-open", String(isOpen)));
    },
    isOffline: cachedSetting("offline", (text) => text === "true"),
    setOffline(isOffline) {
      database.change(() => upsertSetting.run("offline", String(isOffline)));
    },
    apiPort: cachedSetting("api-port", (text) =>
      text === undefined ? undefined : parseOrWarn(portNumber, text, "the API's port"),
    ),
    setApiPort(port) {
      database.change(() => upsertSetting.run("api-port", String(port)));
    },
    windowPort: cachedSetting("window-port", (text) =>
      text === undefined ? undefined : parseOrWarn(portNumber, text, "the window's port"),
    ),
    saveWindowPort(port) {
      if (readSetting("window-port") === undefined)
        saveOptional(() => insertSetting.run("window-port", String(port)));
    },
    windowPath: () => readSetting("window-path"),
    saveWindowPath(path) {
      saveOptional(() => upsertSetting.run("window-path", path));
    },
    instanceId() {
      const stored = (instanceId ??= readSetting("instance-id"));
      if (stored !== undefined) return stored;
      const newId = randomBytes(8).toString("hex");
      // If a command in another process stored an id first, that one is used.
      saveOptional(() => insertSetting.run("instance-id", newId));
      return (instanceId = readSetting("instance-id") ?? newId);
    },
  };
}

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "is no JSON" });
    return z.NEVER;
  }
}
