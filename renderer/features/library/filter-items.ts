// Filters and sorts the items of the library. Pure.

import type { Item } from "../../../main/contract/library-item.ts";

export const views = ["all", "transcript", "narration", "removed"] as const;
export type View = (typeof views)[number];
export const orders = ["newest", "title", "longest", "largest"] as const;
export type Order = (typeof orders)[number];

/** An Intl.Collator is ten times as fast as `localeCompare`. */
const titles = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

const compare: Record<Order, (a: Item, b: Item) => number> = {
  newest: (a, b) => b.createdAtMs - a.createdAtMs,
  title: (a, b) => titles.compare(a.title, b.title),
  longest: (a, b) => b.durationSec - a.durationSec,
  largest: (a, b) => b.sizeBytes - a.sizeBytes,
};

export type ItemFilter = {
  view: View;
  /** Empty: any; likewise the others. */
  tag: string;
  order: Order;
  language?: string;
  channel?: string;
  /** Only these; default: all. */
  itemIds?: ReadonlySet<string> | undefined;
};

/** Equal items: newest first. */
export const filterItems = (
  items: Iterable<Item>,
  { view, tag, order, language = "", channel = "", itemIds }: ItemFilter,
): Item[] =>
  [...items]
    .filter(
      (item) =>
        (view === "all" || view === "removed" || item.kind === view) &&
        (tag === "" || item.tags.includes(tag)) &&
        (language === "" || item.language === language) &&
        (channel === "" || item.channels.includes(channel)) &&
        (itemIds === undefined || itemIds.has(item.id)),
    )
    .sort((a, b) => compare[order](a, b) || compare.newest(a, b));

/** All tags in use, in alphabetical order. */
export const tagsOf = (items: Iterable<Item>): string[] =>
  [...new Set([...items].flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));

const distinct = (values: readonly string[]): string[] =>
  [...new Set(values)].filter((value) => value !== "").sort((a, b) => a.localeCompare(b));

export const languagesOf = (items: Iterable<Item>): string[] =>
  distinct([...items].map(({ language }) => language));

export const channelsOf = (items: Iterable<Item>): string[] =>
  distinct([...items].flatMap(({ channels }) => channels));

const startOfDay = (atMs: number): number => new Date(atMs).setHours(0, 0, 0, 0);

/** Whether the item is the first one of its day in a list by date. */
export const beginsDay = (items: readonly Pick<Item, "createdAtMs">[], index: number): boolean => {
  const [before, item] = [items[index - 1], items[index]];
  return (
    item !== undefined &&
    (before === undefined || startOfDay(before.createdAtMs) !== startOfDay(item.createdAtMs))
  );
};

/** Splits tags at commas; limits their number and length to what the app stores. */
export const parseTags = (typed: string): string[] =>
  [
    ...new Set(
      typed
        .split(",")
        .map((tag) => tag.trim().replace(/^#/, "").trim().slice(0, 60))
        .filter((tag) => tag !== ""),
    ),
  ].slice(0, 50);

/** Channels other than this machine that received the audio or text; empty: it stayed here. */
export const externalChannels = ({ channels }: Pick<Item, "channels">): string[] =>
  channels.filter((channel) => channel !== "local");
