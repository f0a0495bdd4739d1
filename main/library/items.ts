// Library items and the state of their work: one row (item-table.ts) and one folder of audio files per item. Their
// contents are in documents.ts and narrations.ts, the work itself in jobs/.

import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { toStorageError } from "../contract/errors.ts";
import type { Item } from "../contract/library-item.ts";
import { defaultKeepRemovedDays } from "../contract/preferences.ts";
import type { Database } from "../storage/database.ts";
import { retryWhileBusy } from "../storage/retry-while-busy.ts";
import { createItemFolders, measureFolder } from "./item-folders.ts";
import {
  createItemTable,
  type ItemFilter,
  itemNotFoundError,
  type ItemPatch,
} from "./item-table.ts";
import { createItemTrash, type ItemTrash } from "./item-trash.ts";

export type NewItem = Pick<Item, "kind" | "title" | "source"> &
  Partial<Pick<Item, "state" | "durationSec" | "language" | "channels" | "tags" | "hasMedia">>;

export type Items = {
  /** Creates an empty folder; the state defaults to `waiting`. `inTransaction` runs in the same transaction. */
  create(fields: NewItem, inTransaction?: (id: string) => void): Item;
  /** Like `create`, but `writeFiles` first fills the folder. On failure, nothing is left. */
  createWithFiles(
    fields: NewItem,
    writeFiles: (folder: string, id: string) => Promise<void>,
    inTransaction: (id: string) => void,
  ): Promise<Item>;
  /** Newest first. Lists removed items only with `isDeleted`. */
  list(filter?: ItemFilter): Item[];
  /** @throws AppError `not_found`, also for a removed item */
  read(id: string): Item;
  /** Like `read`, for work whose item may have been removed. */
  find(id: string): Item | undefined;
  /** Durable (survives a power cut) when it returns. @throws AppError `not_found` */
  change(id: string, patch: ItemPatch): Item;
  /** Changes all items in one transaction. Missing items are skipped. */
  changeAll(patches: readonly ({ id: string } & Pick<ItemPatch, "title" | "tags">)[]): Item[];
  /** Records that a channel receives the item's audio or text. No effect if already recorded or the item is gone. */
  recordSentTo(id: string, channel: string): void;
  /**
   * Stores progress: cheap, survives a crash but not a power cut. Subscribers are notified even if the write fails. No
   * effect if the item is gone.
   */
  progress(id: string, progress: number, leftSec?: number): void;
  /** Moves the item to the trash. Stop work on it first. @returns whether it existed */
  remove(id: string): boolean;
  /** Removes several in one transaction. @returns the ids of those that existed */
  removeAll(ids: readonly string[]): string[];
  /** @throws AppError `not_found` */
  restore(id: string): Item;
  /** Restores several in one transaction. Items that cannot be restored are skipped. */
  restoreAll(ids: readonly string[]): Item[];
  /** Permanently deletes items that were removed long ago, with their files. @returns how many */
  purge: ItemTrash["purge"];
  readonly deleteRemoved: ItemTrash["deleteRemoved"];
  /** Folder of an item's files; exists from its creation on. */
  folder(id: string): string;
  /** Measures the files again; call it after files were added or removed. */
  updateSize(id: string): Promise<void>;
  /** Total size of all items' files, including removed items. */
  totalBytes(): number;
};

export type ItemsDeps = {
  dataDir: string;
  /** Called for every new, changed or restored item. */
  onChange?: (item: Item) => void;
  onRemove?: (id: string) => void;
  /** Removed items are permanently deleted after this; 0: never by themselves. */
  keepRemovedDays?: () => number;
  /** Unix milliseconds. */
  now?: () => number;
};

export function createItems(
  database: Database,
  {
    dataDir,
    onChange = () => {},
    onRemove = () => {},
    keepRemovedDays = () => defaultKeepRemovedDays,
    now = Date.now,
  }: ItemsDeps,
): Items {
  const table = createItemTable(database, now);
  const { find, read } = table;
  const folders = createItemFolders(dataDir);
  const trash = createItemTrash(database, {
    folder: folders.path,
    now,
    keepDays: keepRemovedDays,
  });

  function readAndNotify(id: string): Item {
    const item = read(id);
    database.afterCommit(() => onChange(item));
    return item;
  }

  function insert(fields: ItemToInsert, inTransaction: (id: string) => void = () => {}): Item {
    database.change(() => {
      table.insert(newItem(fields, now()));
      inTransaction(fields.id);
    });
    return readAndNotify(fields.id);
  }

  function removeAll(ids: readonly string[]): string[] {
    const removedIds = trash.moveIn(ids);
    for (const id of removedIds) onRemove(id);
    return removedIds;
  }

  const restoreAll = (ids: readonly string[]): Item[] => trash.moveOut(ids).map(readAndNotify);

  return {
    create(fields, inTransaction) {
      const { id, folder } = folders.create();
      try {
        return insert({ id, sizeBytes: 0, ...fields }, inTransaction);
      } catch (error) {
        rmSync(folder, { recursive: true, force: true });
        throw error;
      }
    },
    async createWithFiles(fields, writeFiles, inTransaction) {
      const { id, folder } = folders.create();
      try {
        await writeFiles(folder, id);
        const sizeBytes = await measureFolder(folder);
        return await retryWhileBusy(() => insert({ id, sizeBytes, ...fields }, inTransaction));
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
    list: (filter = {}) => table.list(filter),
    read,
    find,
    change(id, patch) {
      database.change(() => table.update(id, patch));
      return readAndNotify(id);
    },
    changeAll(patches) {
      const existing = database.change(() => {
        const found = patches.filter(({ id }) => find(id) !== undefined);
        for (const { id, ...patch } of found) table.update(id, patch);
        return found;
      });
      return existing.map(({ id }) => readAndNotify(id));
    },
    recordSentTo(id, channel) {
      const channels = find(id)?.channels;
      if (channels === undefined || channels.includes(channel)) return;
      database.change(() => table.update(id, { channels: [...channels, channel] }));
      readAndNotify(id);
    },
    progress(id, progress, leftSec) {
      try {
        if (database.write(() => table.setProgress(id, progress, leftSec))) readAndNotify(id);
      } catch (error) {
        if (toStorageError(error) === undefined) throw error;
        const item = find(id);
        const fields = leftSec === undefined ? { progress } : { progress, leftSec };
        if (item !== undefined) onChange({ ...item, ...fields });
      }
    },
    remove: (id) => removeAll([id]).length > 0,
    removeAll,
    restore(id) {
      if (restoreAll([id]).length === 0) throw itemNotFoundError(id);
      return read(id);
    },
    restoreAll,
    purge: trash.purge,
    deleteRemoved: trash.deleteRemoved,
    folder: folders.path,
    async updateSize(id) {
      const sizeBytes = await measureFolder(folders.path(id));
      if (database.write(() => table.setSize(id, sizeBytes)) && find(id) !== undefined)
        readAndNotify(id);
    },
    totalBytes: table.totalBytes,
  };
}

type ItemToInsert = NewItem & Pick<Item, "id" | "sizeBytes">;

const newItem = (fields: ItemToInsert, nowMs: number): Item => ({
  createdAtMs: nowMs,
  changedAtMs: nowMs,
  durationSec: 0,
  state: "waiting",
  progress: 0,
  isPartial: false,
  language: "",
  channels: [],
  tags: [],
  hasMedia: false,
  ...fields,
});
