// Maps an item to a row of the table `items`, and back.

import type { Item } from "../contract/library-item.ts";

export const itemColumns = [
  "id",
  "kind",
  "title",
  "source",
  "created_at_ms",
  "changed_at_ms",
  "duration_sec",
  "size_bytes",
  "state",
  "progress",
  "left_sec",
  "error",
  "error_reference",
  "is_partial",
  "language",
  "channels",
  "tags",
  "has_media",
] as const;

export type ItemRow = Record<(typeof itemColumns)[number], string | number | null>;

export const asItem = (row: ItemRow): Item => ({
  id: String(row.id),
  kind: row.kind as Item["kind"],
  title: String(row.title),
  source: row.source as Item["source"],
  createdAtMs: Number(row.created_at_ms),
  changedAtMs: Number(row.changed_at_ms),
  durationSec: Number(row.duration_sec),
  sizeBytes: Number(row.size_bytes),
  state: row.state as Item["state"],
  progress: Number(row.progress),
  ...(row.left_sec === null ? {} : { leftSec: Number(row.left_sec) }),
  ...(row.error === null ? {} : { error: String(row.error) }),
  // Missing in a damaged library of an older version, which is salvaged as it is.
  ...(typeof row.error_reference === "string"
    ? { errorReference: JSON.parse(row.error_reference) as Item["errorReference"] }
    : {}),
  isPartial: row.is_partial === 1,
  language: String(row.language),
  channels: JSON.parse(String(row.channels)) as string[],
  tags: JSON.parse(String(row.tags)) as string[],
  hasMedia: row.has_media === 1,
});

export const itemValues = (item: Item): ItemRow => ({
  id: item.id,
  kind: item.kind,
  title: item.title,
  source: item.source,
  created_at_ms: item.createdAtMs,
  changed_at_ms: item.changedAtMs,
  duration_sec: item.durationSec,
  size_bytes: item.sizeBytes,
  state: item.state,
  progress: item.progress,
  left_sec: item.leftSec ?? null,
  error: item.error ?? null,
  error_reference: item.errorReference === undefined ? null : JSON.stringify(item.errorReference),
  is_partial: Number(item.isPartial),
  language: item.language,
  channels: JSON.stringify(item.channels),
  tags: JSON.stringify(item.tags),
  has_media: Number(item.hasMedia),
});
