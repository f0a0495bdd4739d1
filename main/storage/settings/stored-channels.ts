// The configured channels: one row each, whose fields are JSON, and what their providers listed last. Their keys are in
// provider-keys.ts.

import { z } from "zod";
import { type ChannelConfig, channelFields } from "../../contract/channels.ts";
import type { ModelInfo } from "../../contract/models.ts";
import type { Database } from "../database.ts";
import type { StoredValues } from "./stored-values.ts";

export type StoredChannels = {
  /**
   * In creation order. Returns the same array until a channel changes, and the same object for an unchanged channel.
   */
  channels(): readonly ChannelConfig[];
  saveChannel(config: ChannelConfig): void;
  /** @returns whether the channel existed */
  removeChannel(id: string): boolean;
  /** What the provider at this address listed last; empty if that is not known. */
  lastModels(channel: ChannelAddress): readonly ModelInfo[];
  saveLastModels(channel: ChannelAddress, models: readonly ModelInfo[]): void;
};

type ChannelAddress = Pick<ChannelConfig, "id" | "baseUrl">;

const storedModels = z.object({
  baseUrl: z.string(),
  models: z.array(
    z.object({
      id: z.string(),
      created: z.number(),
      ownedBy: z.string(),
      kind: z.enum(["speech-to-text", "text-to-speech", "unknown"]),
    }),
  ),
});
const modelsSetting = (id: string): string => `channel-models:${id}`;

type ChannelRow = { id: string; config: string };

/** May come from an older version. */
const storedChannel = channelFields.extend({ sharesLongFiles: z.unknown().optional() });

export function createStoredChannels(database: Database, values: StoredValues): StoredChannels {
  const { sqlite } = database;
  const selectChannels = sqlite.prepare("SELECT id, config FROM channels ORDER BY place, id");
  const upsertChannel = sqlite.prepare(
    `INSERT INTO channels (id, config, place) VALUES (?, ?, (SELECT coalesce(max(place), 0) + 1 FROM channels))
     ON CONFLICT (id) DO UPDATE SET config = excluded.config`,
  );
  const deleteChannel = sqlite.prepare("DELETE FROM channels WHERE id = ?");
  const selectModels = sqlite.prepare("SELECT value FROM settings WHERE name = ?");
  const upsertModels = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const deleteModels = sqlite.prepare("DELETE FROM settings WHERE name = ?");
  let parsed = new Map<string, { text: string; config: ChannelConfig | undefined }>();

  function readModels(id: string): string | undefined {
    try {
      return selectModels.get(modelsSetting(id))?.["value"] as string | undefined;
    } catch {
      // If the library is damaged, the provider lists them again.
      return undefined;
    }
  }

  function parseConfig({ id, config: text }: ChannelRow): ChannelConfig | undefined {
    const stored = values.parse(storedChannel, text, `the channel '${id}'`);
    if (stored === undefined) return undefined;
    const { sharesLongFiles, ...fields } = stored;
    // `true` was the default.
    if (sharesLongFiles === false) values.noteRemoval("sharesLongFiles");
    return { ...fields, id };
  }

  function asConfigs(rows: ChannelRow[]): ChannelConfig[] {
    const previous = parsed;
    parsed = new Map(
      rows.map((row) => {
        const { id, config: text } = row;
        const known = previous.get(id);
        return [id, known?.text === text ? known : { text, config: parseConfig(row) }];
      }),
    );
    return Array.from(parsed.values(), ({ config }) => config).filter(
      (config) => config !== undefined,
    );
  }

  return {
    channels: values.cached(
      () => selectChannels.all() as ChannelRow[],
      (a, b) =>
        a.length === b.length &&
        a.every(({ id, config }, at) => id === b[at]?.id && config === b[at].config),
      asConfigs,
    ),
    saveChannel({ id, ...fields }) {
      database.change(() => upsertChannel.run(id, JSON.stringify(fields)));
    },
    removeChannel: (id) =>
      database.change(() => {
        deleteModels.run(modelsSetting(id));
        return deleteChannel.run(id).changes > 0;
      }),
    lastModels({ id, baseUrl }) {
      const text = readModels(id);
      if (text === undefined) return [];
      const stored = values.parse(storedModels, text, `the list of models of the channel '${id}'`);
      return stored?.baseUrl === baseUrl ? stored.models : [];
    },
    saveLastModels: ({ id, baseUrl }, models) =>
      values.saveOptional(() =>
        upsertModels.run(modelsSetting(id), JSON.stringify({ baseUrl, models })),
      ),
  };
}
