// Channels, routing and prices as people set them, in the database. Follows what other processes change; gives the
// same object as long as nothing did, so that readers may compare by identity. Keys of channels are not kept here.

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
import { AppError, storageFailure } from "../../contract/errors.ts";
import { portNumber } from "../../contract/studio-api.ts";
import type { Database } from "../database.ts";
import type { Log } from "../../log.ts";

export type Configuration = {
  /** In the order they were made. The same array until one changed; the same object for one that did not. */
  channels(): readonly ChannelConfig[];
  /** @param check is given all channels as no other process can change them before this is saved; what it throws stops it. */
  saveChannel(config: ChannelConfig, check?: (current: readonly ChannelConfig[]) => void): void;
  /** @returns whether there was such a channel */
  removeChannel(id: string): boolean;
  routing(): Routing;
  setRouting(routing: Routing): void;
  /** The interface's own prices, replaced by those that were set. */
  prices(): PriceTable;
  /** Replaces all that was set before. */
  setPrices(prices: PriceTable): void;
  /** The machine's network may reach the API: what was chosen in the window. */
  isNetworkOpen(): boolean;
  setNetworkOpen(isOpen: boolean): void;
  /** Where the API listens: what was chosen in the window; undefined: nothing was. */
  apiPort(): number | undefined;
  setApiPort(port: number): void;
  /** Where the window was served first of all; undefined: never yet. */
  windowPort(): number | undefined;
  /** The first that is told stays. */
  keepWindowPort(port: number): void;
  /** Path below which the last session's cookie was given to a browser; undefined: there was none yet. */
  windowPath(): string | undefined;
  keepWindowPath(path: string): void;
  /** Tells this gateway from others: random, made once for a database. */
  instanceId(): string;
};

/** What no longer fits its schema, since an older version or a hand wrote it, is logged and left out. */
export function createConfiguration(database: Database, log: Log): Configuration {
  const { sqlite } = database;
  const allChannels = sqlite.prepare("SELECT id, config FROM channels ORDER BY place, id");
  const putChannel = sqlite.prepare(
    `INSERT INTO channels (id, config, place) VALUES (?, ?, (SELECT coalesce(max(place), 0) + 1 FROM channels))
     ON CONFLICT (id) DO UPDATE SET config = excluded.config`,
  );
  const dropChannel = sqlite.prepare("DELETE FROM channels WHERE id = ?");
  const getSetting = sqlite.prepare("SELECT value FROM settings WHERE name = ?");
  const putSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const addSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
  );

  const storedValue = (name: string): string | undefined =>
    getSetting.get(name)?.["value"] as string | undefined;

  function parsed<T>(schema: z.ZodType<T>, text: string, what: string): T | undefined {
    const { data, error } = z.string().transform(asJson).pipe(schema).safeParse(text);
    if (error !== undefined)
      log.warn(
        { reason: z.prettifyError(error) },
        `${what} in the library makes no sense and is left out`,
      );
    return data;
  }

  /** Reads again what may have changed, and makes something new of it only where it did. */
  function following<S, T>(
    read: () => S,
    same: (a: S, b: S) => boolean,
    make: (source: S) => T,
  ): () => T {
    let seenVersion = -1;
    let last: { source: S; value: T } | undefined;
    return () => {
      let source: S;
      let version: number;
      try {
        version = database.version();
        if (last !== undefined && version === seenVersion) return last.value;
        source = read();
      } catch (error) {
        // A damaged library stops no request that was served before.
        if (last === undefined) throw error;
        return last.value;
      }
      if (last === undefined || !same(last.source, source)) last = { source, value: make(source) };
      seenVersion = version;
      return last.value;
    };
  }

  const followedSetting = <T>(name: string, make: (text: string | undefined) => T): (() => T) =>
    following(() => storedValue(name), Object.is, make);

  type ChannelRow = { id: string; config: string };
  let known = new Map<string, { text: string; config: ChannelConfig | undefined }>();

  function asConfigs(rows: ChannelRow[]): ChannelConfig[] {
    const last = known;
    known = new Map(
      rows.map(({ id, config: text }) => {
        const before = last.get(id);
        if (before?.text === text) return [id, before];
        const fields = parsed(channelFields, text, `the channel '${id}'`);
        return [id, { text, config: fields && { ...fields, id } }];
      }),
    );
    return Array.from(known.values(), ({ config }) => config).filter(
      (config) => config !== undefined,
    );
  }

  let instanceId: string | undefined;

  /** What the machine notes for its next start: it does without where the library takes nothing. */
  function keep(work: () => void): void {
    try {
      database.change(work);
    } catch (error) {
      if (
        storageFailure(error) === undefined &&
        !(error instanceof AppError && error.key === "library_unavailable")
      )
        throw error;
      log.warn({ err: error }, "a setting could not be kept for the next start");
    }
  }

  return {
    channels: following(
      () => allChannels.all() as ChannelRow[],
      (a, b) =>
        a.length === b.length &&
        a.every(({ id, config }, at) => id === b[at]?.id && config === b[at].config),
      asConfigs,
    ),
    saveChannel({ id, ...fields }, check) {
      database.change(() => {
        check?.(asConfigs(allChannels.all() as ChannelRow[]));
        putChannel.run(id, JSON.stringify(fields));
      });
    },
    removeChannel: (id) => database.change(() => dropChannel.run(id).changes > 0),
    routing: followedSetting(
      "routing",
      (text = "{}") => parsed(routing, text, "the routing") ?? routing.parse({}),
    ),
    setRouting(value) {
      database.change(() => putSetting.run("routing", JSON.stringify(value)));
    },
    prices: followedSetting("prices", (text = "{}") => ({
      ...defaultPrices,
      ...parsed(priceTable, text, "the price table"),
    })),
    setPrices(value) {
      database.change(() => putSetting.run("prices", JSON.stringify(value)));
    },
    isNetworkOpen: followedSetting("network-open", (text) => text === "true"),
    setNetworkOpen(isOpen) {
      database.change(() => putSetting.run("network-open", String(isOpen)));
    },
    apiPort: followedSetting("api-port", (text) =>
      text === undefined ? undefined : parsed(portNumber, text, "the API's port"),
    ),
    setApiPort(port) {
      database.change(() => putSetting.run("api-port", String(port)));
    },
    windowPort: followedSetting("window-port", (text) =>
      text === undefined ? undefined : parsed(portNumber, text, "the window's port"),
    ),
    keepWindowPort(port) {
      if (storedValue("window-port") === undefined)
        keep(() => addSetting.run("window-port", String(port)));
    },
    windowPath: () => storedValue("window-path"),
    keepWindowPath(path) {
      keep(() => putSetting.run("window-path", path));
    },
    instanceId() {
      const stored = (instanceId ??= storedValue("instance-id"));
      if (stored !== undefined) return stored;
      const made = randomBytes(8).toString("hex");
      // Where another process was first, its own stays.
      keep(() => addSetting.run("instance-id", made));
      return (instanceId = storedValue("instance-id") ?? made);
    },
  };
}

function asJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "is no JSON" });
    return z.NEVER;
  }
}
