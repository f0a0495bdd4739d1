// Everything in the library as the window knows it: read once, then kept by events. Changes go to the app first; what
// it answers is what is shown.

import { create } from 'zustand';
import type { Item, StudioEvent } from '../../main/contract/studio.ts';
import { call } from '../api/client.ts';
import { messageOf } from '../api/error.ts';

type ItemsState = {
  byId: ReadonlyMap<string, Item>;
  totalBytes: number;
  isLoaded: boolean;
  /** Why the list could not be read. */
  error: string | undefined;
};

export const useItems = create<ItemsState>(() => ({ byId: new Map(), totalBytes: 0, isLoaded: false, error: undefined }));

const edit = (change: (byId: Map<string, Item>) => void) =>
  useItems.setState((state) => {
    const byId = new Map(state.byId);
    change(byId);
    return { byId };
  });

/** Takes in an item that an answer or an event brought. */
export const keepItem = (item: Item) => edit((byId) => byId.set(item.id, item));
export const forgetItem = (id: string) => edit((byId) => byId.delete(id));

export function applyItemEvent(event: StudioEvent): void {
  if (event.type === 'item') keepItem(event.item);
  if (event.type === 'item-removed') forgetItem(event.id);
}

/** @returns why it could not be done */
export async function renameItem(id: string, title: string): Promise<string | undefined> {
  try {
    keepItem(await call('changeItem', { title }, id));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Reads the list anew. The failure is kept in the store as well, for the pages that show it. */
export async function loadItems(): Promise<void> {
  try {
    const { items, totalBytes } = await call('listItems', {});
    useItems.setState({ byId: new Map(items.map((item) => [item.id, item])), totalBytes, isLoaded: true, error: undefined });
  } catch (error) {
    useItems.setState({ error: messageOf(error) });
  }
}

/** Newest first. */
export const newestFirst = (byId: ReadonlyMap<string, Item>, kind?: Item['kind']) =>
  [...byId.values()].filter((item) => kind === undefined || item.kind === kind).toSorted((a, b) => b.createdAtMs - a.createdAtMs);

/** Where an item is opened. */
export const pathOf = (item: Pick<Item, 'id' | 'kind'>) => `/${item.kind === 'transcript' ? 'transcribe' : 'narrate'}/${encodeURIComponent(item.id)}`;
