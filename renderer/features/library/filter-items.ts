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

/** Equal items: newest first. @param tag empty: any */
export const filterItems = (
  items: Iterable<Item>,
  { view, tag, order }: { view: View; tag: string; order: Order },
): Item[] =>
  [...items]
    .filter(
      (item) =>
        (view === "all" || view === "removed" || item.kind === view) &&
        (tag === "" || item.tags.includes(tag)),
    )
    .sort((a, b) => compare[order](a, b) || compare.newest(a, b));

/** All tags in use, in alphabetical order. */
export const tagsOf = (items: Iterable<Item>): string[] =>
  [...new Set([...items].flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));

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
