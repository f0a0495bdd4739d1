// Which items of the library are listed, and in which order. Pure.

import type { Item } from "../../../main/contract/studio.ts";

export const views = ["all", "transcript", "narration", "removed"] as const;
export type View = (typeof views)[number];
export const orders = ["newest", "title", "longest", "largest"] as const;
export type Order = (typeof orders)[number];

/** Ten times as fast as comparing by `localeCompare`. */
const titles = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

const compare: Record<Order, (a: Item, b: Item) => number> = {
  newest: (a, b) => b.createdAtMs - a.createdAtMs,
  title: (a, b) => titles.compare(a.title, b.title),
  longest: (a, b) => b.durationSec - a.durationSec,
  largest: (a, b) => b.sizeBytes - a.sizeBytes,
};

/** Of equals the newest is first. @param tag empty: any */
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

/** All tags there are, in the order of the alphabet. */
export const tagsOf = (items: Iterable<Item>): string[] =>
  [...new Set([...items].flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));

/** Tags as typed, with commas between them; at most as many and as long as are kept. */
export const parseTags = (typed: string): string[] =>
  [
    ...new Set(
      typed
        .split(",")
        .map((tag) => tag.trim().replace(/^#/, "").trim().slice(0, 60))
        .filter((tag) => tag !== ""),
    ),
  ].slice(0, 50);

/** Names of those who got it beside this machine; empty: it stayed here. */
export const externalChannels = ({ channels }: Pick<Item, "channels">): string[] =>
  channels.filter((channel) => channel !== "local");
