// Library items and the state of their work: one row and one folder of audio files per item. Their contents are in
// documents.ts and narrations.ts, the work itself in jobs/.

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError, toStorageError } from "../contract/errors.ts";
import type { SentMessage } from "../contract/messages/messages.ts";
import type { Item } from "../contract/library-item.ts";
import type { Database } from "../storage/database.ts";
import { listFiles } from "./archive/list-files.ts";
import { toIndexedText } from "./search/indexed-text.ts";
import { mkdirSync } from "../storage/disk.ts";
import { retryWhileBusy } from "../storage/retry-while-busy.ts";
import type { AsyncLibraryTasks } from "./library-tasks.ts";
import { asItem, type ItemRow, itemColumns, itemValues } from "./item-row.ts";

export type NewItem = Pick<Item, "kind" | "title" | "source"> &
  Partial<Pick<Item, "state" | "durationSec" | "language" | "channels" | "tags" | "hasMedia">>;

/** `undefined` clears a field. */
export type ItemPatch = Partial<
  Pick<
    Item,
    | "title"
    | "durationSec"
    | "sizeBytes"
    | "state"
    | "progress"
    | "isPartial"
    | "language"
    | "channels"
    | "tags"
    | "hasMedia"
  >
> & {
  leftSec?: number | undefined;
  error?: SentMessage | undefined;
};

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
  list(filter?: {
    kind?: Item["kind"] | undefined;
    isDeleted?: boolean;
    state?: Item["state"];
  }): Item[];
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
  /** Moves the item to the trash for thirty days. Stop work on it first. @returns whether it existed */
  remove(id: string): boolean;
  /** Removes several in one transaction. @returns the ids of those that existed */
  removeAll(ids: readonly string[]): string[];
  /** @throws AppError `not_found` */
  restore(id: string): Item;
  /** Restores several in one transaction. Items that cannot be restored are skipped. */
  restoreAll(ids: readonly string[]): Item[];
  /** Permanently deletes items that were removed thirty days ago, with their files. @returns how many */
  purge(tasks: Pick<AsyncLibraryTasks, "dropItem">): Promise<number>;
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
  /** Unix milliseconds. */
  now?: () => number;
};

const trashRetentionMs = 30 * 86_400_000;

export function createItems(
  database: Database,
  { dataDir, onChange = () => {}, onRemove = () => {}, now = Date.now }: ItemsDeps,
): Items {
  const { sqlite } = database;
  const libraryDir = join(dataDir, "library");
  const columns = itemColumns.join(", ");
  const insertRow = sqlite.prepare(
    `INSERT INTO items (${columns}) VALUES (${itemColumns.map((name) => `:${name}`).join(", ")}) RETURNING place`,
  );
  const updateRow = sqlite.prepare(
    `UPDATE items SET ${itemColumns.map((name) => `${name} = :${name}`).join(", ")} WHERE id = :id RETURNING place`,
  );
  const selectOne = sqlite.prepare(
    `SELECT ${columns} FROM items WHERE id = ? AND deleted_at_ms IS NULL`,
  );
  const selectAll = sqlite.prepare(
    `SELECT ${columns} FROM items WHERE (deleted_at_ms IS NOT NULL) = :isDeleted AND kind = coalesce(:kind, kind) AND state = coalesce(:state, state)
     ORDER BY created_at_ms DESC, place DESC`,
  );
  const updateProgress = sqlite.prepare(
    "UPDATE items SET progress = ?, left_sec = ? WHERE id = ? AND deleted_at_ms IS NULL",
  );
  const updateSizeBytes = sqlite.prepare("UPDATE items SET size_bytes = ? WHERE id = ?");
  const updateDeleted = sqlite.prepare(
    "UPDATE items SET deleted_at_ms = ? WHERE id = ? AND (deleted_at_ms IS NULL) = ?",
  );
  const selectExpired = sqlite.prepare(
    "SELECT id FROM items WHERE deleted_at_ms < ? AND id = coalesce(?, id)",
  );
  const selectTotalBytes = sqlite.prepare("SELECT total(size_bytes) AS bytes FROM items");
  const insertWords = sqlite.prepare(
    "INSERT INTO item_words (rowid, title, script) VALUES (?, ?, '')",
  );
  const updateWords = sqlite.prepare("UPDATE item_words SET title = ? WHERE rowid = ?");

  function find(id: string): Item | undefined {
    const row = selectOne.get(id) as ItemRow | undefined;
    return row && asItem(row);
  }

  function read(id: string): Item {
    const item = find(id);
    if (item === undefined) throw notFoundError(id);
    return item;
  }

  function readAndNotify(id: string): Item {
    const item = read(id);
    database.afterCommit(() => onChange(item));
    return item;
  }

  function insertItem(
    id: string,
    fields: NewItem,
    sizeBytes: number,
    inTransaction: (id: string) => void,
  ): Item {
    const nowMs = now();
    const item: Item = {
      id,
      createdAtMs: nowMs,
      changedAtMs: nowMs,
      durationSec: 0,
      sizeBytes,
      state: "waiting",
      progress: 0,
      isPartial: false,
      language: "",
      channels: [],
      tags: [],
      hasMedia: false,
      ...fields,
    };
    database.change(() => {
      insertWords.run(toRowId(insertRow.get(itemValues(item))), toIndexedText(item.title));
      inTransaction(id);
    });
    return readAndNotify(id);
  }

  /** Call within a transaction. */
  function write(id: string, patch: ItemPatch): void {
    const item = read(id);
    const { error, ...fields } = patch;
    const errorFields = "error" in patch ? toErrorFields(error) : {};
    const changed = { ...item, ...fields, ...errorFields, changedAtMs: now() } as Item;
    const rowId = toRowId(updateRow.get(itemValues(changed)));
    if (patch.title !== undefined && patch.title !== item.title)
      updateWords.run(toIndexedText(patch.title), rowId);
  }

  function removeAll(ids: readonly string[]): string[] {
    const removedIds = database.change(() =>
      ids.filter((id) => updateDeleted.run(now(), id, 1).changes !== 0),
    );
    for (const id of removedIds) onRemove(id);
    return removedIds;
  }

  function restoreAll(ids: readonly string[]): Item[] {
    return database
      .change(() => ids.filter((id) => updateDeleted.run(null, id, 0).changes !== 0))
      .map(readAndNotify);
  }

  return {
    create(fields, inTransaction = () => {}) {
      const id = createId();
      const folder = join(libraryDir, id);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      try {
        return insertItem(id, fields, 0, inTransaction);
      } catch (error) {
        rmSync(folder, { recursive: true, force: true });
        throw error;
      }
    },
    async createWithFiles(fields, writeFiles, inTransaction) {
      const id = createId();
      const folder = join(libraryDir, id);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      try {
        await writeFiles(folder, id);
        const sizeBytes = await measureFolder(folder);
        return await retryWhileBusy(() => insertItem(id, fields, sizeBytes, inTransaction));
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
    list: ({ kind, isDeleted = false, state } = {}) =>
      (
        selectAll.all({
          isDeleted: Number(isDeleted),
          kind: kind ?? null,
          state: state ?? null,
        }) as ItemRow[]
      ).map(asItem),
    read,
    find,
    change(id, patch) {
      database.change(() => write(id, patch));
      return readAndNotify(id);
    },
    changeAll(patches) {
      const existingIds = database.change(() =>
        patches
          .filter(({ id }) => find(id) !== undefined)
          .map(({ id, ...patch }) => (write(id, patch), id)),
      );
      return existingIds.map(readAndNotify);
    },
    recordSentTo(id, channel) {
      const channels = find(id)?.channels;
      if (channels === undefined || channels.includes(channel)) return;
      database.change(() => write(id, { channels: [...channels, channel] }));
      readAndNotify(id);
    },
    progress(id, progress, leftSec) {
      try {
        if (database.write(() => updateProgress.run(progress, leftSec ?? null, id).changes) !== 0)
          readAndNotify(id);
      } catch (error) {
        if (toStorageError(error) === undefined) throw error;
        const item = find(id);
        if (item !== undefined)
          onChange({ ...item, progress, ...(leftSec === undefined ? {} : { leftSec }) });
      }
    },
    remove: (id) => removeAll([id]).length > 0,
    removeAll,
    restore(id) {
      const [item] = restoreAll([id]);
      if (item === undefined) throw notFoundError(id);
      return item;
    },
    restoreAll,
    async purge({ dropItem }) {
      const expiredBeforeMs = now() - trashRetentionMs;
      let count = 0;
      for (const { id } of selectExpired.all(expiredBeforeMs, null) as { id: string }[]) {
        // It may have been restored meanwhile.
        if (selectExpired.get(expiredBeforeMs, id) === undefined) continue;
        // Files first: otherwise, a crash between the two steps would leave files without a row.
        await rm(join(libraryDir, id), { recursive: true, force: true });
        await dropItem(id);
        count += 1;
      }
      return count;
    },
    folder(id) {
      if (!/^[0-9a-f]{16}$/.test(id)) throw notFoundError(id);
      return join(libraryDir, id);
    },
    async updateSize(id) {
      const sizeBytes = await measureFolder(join(libraryDir, id));
      if (
        database.write(() => updateSizeBytes.run(sizeBytes, id).changes) !== 0 &&
        find(id) !== undefined
      )
        readAndNotify(id);
    },
    totalBytes: () => Number(selectTotalBytes.get()?.["bytes"]),
  };
}

const notFoundError = (id: string): AppError =>
  new AppError("item.unknown", { id: id.slice(0, 60) }, { param: "id" });

const toErrorFields = ({ message, ...errorReference }: Partial<SentMessage> = {}) =>
  message === undefined
    ? { error: undefined, errorReference: undefined }
    : { error: message, errorReference };

const createId = (): string => randomBytes(8).toString("hex");

const toRowId = (row: Record<string, unknown> | undefined): number => Number(row?.["place"]);

/** Ignores files that disappear meanwhile. */
async function measureFolder(folder: string): Promise<number> {
  let sum = 0;
  for await (const path of listFiles(folder))
    sum += await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  return sum;
}
