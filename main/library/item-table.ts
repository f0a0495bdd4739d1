// Rows of the table `items`, and the words of their titles for search.

import { AppError } from "../contract/errors.ts";
import type { SentMessage } from "../contract/messages/messages.ts";
import type { Item } from "../contract/library-item.ts";
import type { Database } from "../storage/database.ts";
import { asItem, type ItemRow, itemColumns, itemValues } from "./item-row.ts";
import { toIndexedText } from "./search/indexed-text.ts";

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

export type ItemFilter = {
  kind?: Item["kind"] | undefined;
  isDeleted?: boolean;
  state?: Item["state"];
};

/** The caller runs writes in a transaction. Removed items are found only by `list` with `isDeleted`. */
export type ItemTable = {
  find(id: string): Item | undefined;
  /** @throws AppError `not_found` */
  read(id: string): Item;
  /** Newest first. */
  list(filter: ItemFilter): Item[];
  insert(item: Item): void;
  /** @throws AppError `not_found` */
  update(id: string, patch: ItemPatch): void;
  /** @returns whether the item exists */
  setProgress(id: string, progress: number, leftSec: number | undefined): boolean;
  /** @returns whether the item exists, be it removed */
  setSize(id: string, sizeBytes: number): boolean;
  totalBytes(): number;
};

/** @param now Unix milliseconds */
export function createItemTable({ sqlite }: Database, now: () => number): ItemTable {
  const columns = itemColumns.join(", ");
  const parameters = itemColumns.map((name) => `:${name}`).join(", ");
  const assignments = itemColumns.map((name) => `${name} = :${name}`).join(", ");
  const insertRow = sqlite.prepare(
    `INSERT INTO items (${columns}) VALUES (${parameters}) RETURNING place`,
  );
  const updateRow = sqlite.prepare(
    `UPDATE items SET ${assignments} WHERE id = :id RETURNING place`,
  );
  const selectOne = sqlite.prepare(
    `SELECT ${columns} FROM items WHERE id = ? AND deleted_at_ms IS NULL`,
  );
  const selectAll = sqlite.prepare(
    `SELECT ${columns} FROM items
     WHERE (deleted_at_ms IS NOT NULL) = :isDeleted
       AND kind = coalesce(:kind, kind) AND state = coalesce(:state, state)
     ORDER BY created_at_ms DESC, place DESC`,
  );
  const updateProgress = sqlite.prepare(
    "UPDATE items SET progress = ?, left_sec = ? WHERE id = ? AND deleted_at_ms IS NULL",
  );
  const updateSizeBytes = sqlite.prepare("UPDATE items SET size_bytes = ? WHERE id = ?");
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
    if (item === undefined) throw itemNotFoundError(id);
    return item;
  }

  return {
    find,
    read,
    list({ kind, isDeleted = false, state }) {
      const rows = selectAll.all({
        isDeleted: Number(isDeleted),
        kind: kind ?? null,
        state: state ?? null,
      });
      return (rows as ItemRow[]).map(asItem);
    },
    insert(item) {
      insertWords.run(toRowId(insertRow.get(itemValues(item))), toIndexedText(item.title));
    },
    update(id, patch) {
      const item = read(id);
      const { error, ...fields } = patch;
      const errorFields = "error" in patch ? toErrorFields(error) : {};
      const changed = { ...item, ...fields, ...errorFields, changedAtMs: now() } as Item;
      const rowId = toRowId(updateRow.get(itemValues(changed)));
      if (patch.title !== undefined && patch.title !== item.title)
        updateWords.run(toIndexedText(patch.title), rowId);
    },
    setProgress: (id, progress, leftSec) =>
      updateProgress.run(progress, leftSec ?? null, id).changes !== 0,
    setSize: (id, sizeBytes) => updateSizeBytes.run(sizeBytes, id).changes !== 0,
    totalBytes: () => Number(selectTotalBytes.get()?.["bytes"]),
  };
}

export const itemNotFoundError = (id: string): AppError =>
  new AppError("item.unknown", { id: id.slice(0, 60) }, { param: "id" });

const toErrorFields = ({ message, ...errorReference }: Partial<SentMessage> = {}) =>
  message === undefined
    ? { error: undefined, errorReference: undefined }
    : { error: message, errorReference };

const toRowId = (row: Record<string, unknown> | undefined): number => Number(row?.["place"]);
