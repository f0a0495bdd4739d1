// The configured channels: one row each, whose fields are JSON. Their keys are in provider-keys.ts.

import { z } from "zod";
import { type ChannelConfig, channelFields } from "../../contract/channels.ts";
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
};

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
  let parsed = new Map<string, { text: string; config: ChannelConfig | undefined }>();

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
    removeChannel: (id) => database.change(() => deleteChannel.run(id).changes > 0),
  };
}
