// Changes to items from this page; each can be undone with the window's undo stack.

import type { Item } from "../../../main/contract/library-item.ts";
import type { TranscriptExport } from "../../../main/contract/transcript-export.ts";
import { call } from "../../api/client.ts";
import { libraryUrl } from "../../api/binary.ts";
import { t } from "../../messages/messages.ts";
import { removeItem as removeNoted } from "../../stores/item-removal.ts";
import { dropItems, storeItem, storeItems, loadItems } from "../../stores/items.ts";
import { type UndoStep, useUndo } from "../../stores/undo.ts";

type Change = { title?: string; tags?: string[] };

const send = async (id: string, change: Change): Promise<void> =>
  storeItem(await call("changeItem", change, id));

/** @throws ApiError */
async function changeWithUndo(
  item: Item,
  title: () => string,
  next: Change,
  previous: Change,
): Promise<void> {
  await send(item.id, next);
  useUndo.getState().push({
    get title() {
      return title();
    },
    undo: () => send(item.id, previous),
    redo: () => send(item.id, next),
  });
}

export const rename = (item: Item, title: string) =>
  changeWithUndo(
    item,
    () => t("library.rename.named", { title: item.title }),
    { title },
    { title: item.title },
  );
export const changeTags = (item: Item, tags: string[]) =>
  changeWithUndo(
    item,
    () => t("library.tags.named", { title: item.title }),
    { tags },
    { tags: item.tags },
  );

/** Ends work on the item. @returns the step that restores it @throws ApiError */
export const removeItem = (item: Item): Promise<UndoStep> =>
  removeNoted(item, () => t("library.remove.named", { title: item.title }));

/** @returns ids of the restored items @throws ApiError */
export async function restoreAndReload(removedItems: readonly Item[]): Promise<string[]> {
  const { items } = await call("restoreItems", { itemIds: removedItems.map(({ id }) => id) });
  await loadItems();
  return items.map(({ id }) => id);
}

/** Permanently deletes removed items. @returns ids of the deleted items @throws ApiError */
export async function deleteAndReload(removedItems: readonly Item[]): Promise<string[]> {
  const { deleted } = await call("deleteItems", { itemIds: removedItems.map(({ id }) => id) });
  await loadItems();
  return deleted;
}

const sendTags = async (changes: { id: string; tags: string[] }[]): Promise<void> =>
  storeItems((await call("changeItems", { changes })).items);

/** Adds tags to several items, or removes them, as one undo step. @throws ApiError */
export async function changeTagsOfAll(
  items: readonly Item[],
  add: readonly string[],
  drop: readonly string[],
): Promise<void> {
  const previous = items.map(({ id, tags }) => ({ id, tags }));
  const next = items.map(({ id, tags }) => ({
    id,
    tags: [...new Set([...tags, ...add])].filter((tag) => !drop.includes(tag)),
  }));
  await sendTags(next);
  useUndo.getState().push({
    get title() {
      return t("library.bulk.tags.named", { count: items.length });
    },
    undo: () => sendTags(previous),
    redo: () => sendTags(next),
  });
}

/** @returns the one step that restores all of them @throws ApiError */
export async function removeItems(items: readonly Item[]): Promise<UndoStep> {
  const itemIds = items.map(({ id }) => id);
  const remove = async (): Promise<void> =>
    dropItems((await call("removeItems", { itemIds })).removed);
  await remove();
  return useUndo.getState().push({
    get title() {
      return t("library.bulk.remove", { count: items.length });
    },
    undo: async () => storeItems((await call("restoreItems", { itemIds })).items),
    redo: remove,
  });
}

/** Address of an archive of these items; with `format` only of their transcripts in that format. @throws ApiError */
export async function exportAddress(
  itemIds: string[],
  format: TranscriptExport | undefined,
): Promise<string> {
  const { selection } = await call("selectItems", { itemIds });
  return `${libraryUrl()}?selection=${selection}${format === undefined ? "" : `&format=${format}`}`;
}
