// What is done to items from this page: each change can be taken back by the window's undo.

import type { Item, transcriptExports } from "../../../main/contract/studio.ts";
import { call } from "../../api/client.ts";
import { libraryUrl } from "../../api/raw.ts";
import { t } from "../../messages/messages.ts";
import { removeItem as removeNoted, restoreItem } from "../../stores/item-removal.ts";
import { forgetItems, keepItem, keepItems, loadItems } from "../../stores/items.ts";
import { type UndoStep, useUndo } from "../../stores/undo.ts";

type Change = { title?: string; tags?: string[] };

const send = async (id: string, change: Change): Promise<void> =>
  keepItem(await call("changeItem", change, id));

/** @throws ApiError */
async function changed(
  item: Item,
  title: () => string,
  now: Change,
  before: Change,
): Promise<void> {
  await send(item.id, now);
  useUndo.getState().push({
    get title() {
      return title();
    },
    undo: () => send(item.id, before),
    redo: () => send(item.id, now),
  });
}

export const rename = (item: Item, title: string) =>
  changed(
    item,
    () => t("library.rename.named", { title: item.title }),
    { title },
    { title: item.title },
  );
export const retag = (item: Item, tags: string[]) =>
  changed(
    item,
    () => t("library.tags.named", { title: item.title }),
    { tags },
    { tags: item.tags },
  );

/** Work on it ends; answers the step that brings it back. @throws ApiError */
export const removeItem = (item: Item): Promise<UndoStep> =>
  removeNoted(item, () => t("library.remove.named", { title: item.title }));

/** @throws ApiError */
export async function bringBack(item: Item): Promise<void> {
  await restoreItem(item.id);
  await loadItems();
}

const sendTags = async (changes: { id: string; tags: string[] }[]): Promise<void> =>
  keepItems((await call("changeItems", { changes })).items);

/** Tags added to several items, or taken away from them: one step back. @throws ApiError */
export async function retagAll(
  items: readonly Item[],
  add: readonly string[],
  drop: readonly string[],
): Promise<void> {
  const before = items.map(({ id, tags }) => ({ id, tags }));
  const now = items.map(({ id, tags }) => ({
    id,
    tags: [...new Set([...tags, ...add])].filter((tag) => !drop.includes(tag)),
  }));
  await sendTags(now);
  useUndo.getState().push({
    get title() {
      return t("library.bulk.tags.named", { count: items.length });
    },
    undo: () => sendTags(before),
    redo: () => sendTags(now),
  });
}

/** Answers the one step that brings all of them back. @throws ApiError */
export async function removeItems(items: readonly Item[]): Promise<UndoStep> {
  const itemIds = items.map(({ id }) => id);
  const remove = async (): Promise<void> =>
    forgetItems((await call("removeItems", { itemIds })).removed);
  await remove();
  return useUndo.getState().push({
    get title() {
      return t("library.bulk.remove", { count: items.length });
    },
    undo: async () => keepItems((await call("restoreItems", { itemIds })).items),
    redo: remove,
  });
}

/** Where these items are had as one archive; with a format their transcripts alone. @throws ApiError */
export async function exportAddress(
  itemIds: string[],
  format: (typeof transcriptExports)[number] | undefined,
): Promise<string> {
  const { selection } = await call("selectItems", { itemIds });
  return `${libraryUrl()}?selection=${selection}${format === undefined ? "" : `&format=${format}`}`;
}
