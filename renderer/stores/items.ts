// The library's items: read once, then updated by events. Changes are sent to the app first; its response is shown.

import { create } from "zustand";
import type { AppEvent } from "../../main/contract/app-event.ts";
import type { Item } from "../../main/contract/library-item.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";

type ItemsState = {
  byId: ReadonlyMap<string, Item>;
  totalBytes: number;
  isLoaded: boolean;
  /** Why the list could not be read. */
  error: string | undefined;
};

export const useItems = create<ItemsState>(() => ({
  byId: new Map(),
  totalBytes: 0,
  isLoaded: false,
  error: undefined,
}));

/** Applies queued events first, because this change is newer. */
const updateItems = (change: (byId: Map<string, Item>) => void) =>
  useItems.setState((state) => {
    const byId = new Map(state.byId);
    for (const event of queuedEvents.splice(0)) applyEvent(byId, event);
    change(byId);
    return { byId };
  });

/** Stores items from a response or an event. */
export const storeItems = (items: readonly Item[]) =>
  updateItems((byId) => items.forEach((item) => byId.set(item.id, item)));
export const dropItems = (ids: readonly string[]) =>
  updateItems((byId) => ids.forEach((id) => byId.delete(id)));
export const storeItem = (item: Item) => storeItems([item]);
export const dropItem = (id: string) => dropItems([id]);

/** Changes to many items cause thousands of events: apply those of one frame together. */
const frameMs = 16;
const queuedEvents: AppEvent[] = [];
let isThrottled = false;
/** Events since a list was requested, which its response may lack. One journal for each pending request. */
const journals = new Set<AppEvent[]>();

export function applyItemEvent(event: AppEvent): void {
  if (event.type !== "item" && event.type !== "item-removed") return;
  queuedEvents.push(event);
  for (const journal of journals) journal.push(event);
  if (isThrottled) return;
  updateItems(() => undefined);
  isThrottled = true;
  setTimeout(() => {
    isThrottled = false;
    if (queuedEvents.length > 0) updateItems(() => undefined);
  }, frameMs);
}

function applyEvent(byId: Map<string, Item>, event: AppEvent): void {
  if (event.type === "item") byId.set(event.item.id, event.item);
  if (event.type === "item-removed") byId.delete(event.id);
}

/** @returns why it failed; undefined on success */
export async function renameItem(id: string, title: string): Promise<string | undefined> {
  try {
    storeItem(await call("changeItem", { title }, id));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Reads the list again. A failure is also kept in the store, for pages that show it. */
export async function loadItems(): Promise<void> {
  const journal: AppEvent[] = [];
  journals.add(journal);
  try {
    const { items, totalBytes } = await call("listItems", {});
    const byId = new Map(items.map((item) => [item.id, item]));
    for (const event of journal) applyEvent(byId, event);
    useItems.setState({ byId, totalBytes, isLoaded: true, error: undefined });
  } catch (error) {
    useItems.setState({ error: messageOf(error) });
  } finally {
    journals.delete(journal);
  }
}

export const newestFirst = (byId: ReadonlyMap<string, Item>, kind?: Item["kind"]) =>
  [...byId.values()]
    .filter((item) => kind === undefined || item.kind === kind)
    .toSorted((a, b) => b.createdAtMs - a.createdAtMs);

/** Path of an item's page. */
export const itemPath = (item: Pick<Item, "id" | "kind">) =>
  `/${item.kind === "transcript" ? "transcribe" : "narrate"}/${encodeURIComponent(item.id)}`;
