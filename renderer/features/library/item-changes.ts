// What is done to items from this page: each change can be taken back by the window's undo.

import type { Item } from '../../../main/contract/studio.ts';
import { call } from '../../api/client.ts';
import { t } from '../../messages/messages.ts';
import { removeItem as removeNoted, restoreItem } from '../../stores/item-removal.ts';
import { keepItem, loadItems } from '../../stores/items.ts';
import { useUndo } from '../../stores/undo.ts';

type Change = { title?: string; tags?: string[] };

const send = async (id: string, change: Change): Promise<void> => keepItem(await call('changeItem', change, id));

/** @throws ApiError */
async function changed(item: Item, title: string, now: Change, before: Change): Promise<void> {
  await send(item.id, now);
  useUndo.getState().push({ title, undo: () => send(item.id, before), redo: () => send(item.id, now) });
}

export const rename = (item: Item, title: string) => changed(item, t('library.rename.named', { title: item.title }), { title }, { title: item.title });
export const retag = (item: Item, tags: string[]) => changed(item, t('library.tags.named', { title: item.title }), { tags }, { tags: item.tags });

/** Work on it ends. @throws ApiError */
export const removeItem = (item: Item): Promise<void> => removeNoted(item, t('library.remove.named', { title: item.title }));

/** @throws ApiError */
export async function bringBack(item: Item): Promise<void> {
  await restoreItem(item.id);
  await loadItems();
}
