// The trash: removed items can be restored until they expire or are permanently deleted, with their files.

import { rm } from "node:fs/promises";
import type { Database } from "../storage/database.ts";
import type { AsyncLibraryTasks } from "./library-tasks.ts";

export type ItemTrash = {
  /** In one transaction. @returns the ids of items that were in the library */
  moveIn(ids: readonly string[]): string[];
  /** In one transaction. @returns the ids of items that were in the trash */
  moveOut(ids: readonly string[]): string[];
  /** Permanently deletes items that were removed `keepDays()` ago, with their files. @returns how many */
  purge(tasks: Pick<AsyncLibraryTasks, "dropItem">): Promise<number>;
  /** Permanently deletes removed items, with their files. @param ids default: all @returns those it deleted */
  deleteRemoved(
    tasks: Pick<AsyncLibraryTasks, "dropItem">,
    ids?: readonly string[],
  ): Promise<string[]>;
};

const dayMs = 86_400_000;

export function createItemTrash(
  database: Database,
  { folder, now, keepDays }: { folder(id: string): string; now(): number; keepDays(): number },
): ItemTrash {
  const { sqlite } = database;
  const updateDeleted = sqlite.prepare(
    "UPDATE items SET deleted_at_ms = ? WHERE id = ? AND (deleted_at_ms IS NULL) = ?",
  );
  const selectRemoved = sqlite.prepare(
    "SELECT id FROM items WHERE deleted_at_ms <= ? AND id = coalesce(?, id)",
  );

  const listRemoved = (removedUntilMs: number, id?: string): string[] =>
    selectRemoved.all(removedUntilMs, id ?? null).map((row) => String(row["id"]));

  async function deleteUntil(
    { dropItem }: Pick<AsyncLibraryTasks, "dropItem">,
    removedUntilMs: number,
    ids: readonly string[] = listRemoved(removedUntilMs),
  ): Promise<string[]> {
    const deletedIds: string[] = [];
    let failure: unknown;
    for (const id of ids) {
      // It may have been restored meanwhile.
      if (listRemoved(removedUntilMs, id).length === 0) continue;
      // Files first: otherwise, a crash between the two steps would leave files without a row.
      try {
        await rm(folder(id), { recursive: true, force: true });
        await dropItem(id);
        deletedIds.push(id);
      } catch (error) {
        // One that cannot be deleted does not keep the others.
        failure ??= error;
      }
    }
    if (failure !== undefined && deletedIds.length === 0) throw failure;
    return deletedIds;
  }

  return {
    moveIn: (ids) =>
      database.change(() => ids.filter((id) => updateDeleted.run(now(), id, 1).changes !== 0)),
    moveOut: (ids) =>
      database.change(() => ids.filter((id) => updateDeleted.run(null, id, 0).changes !== 0)),
    async purge(tasks) {
      const keptDays = keepDays();
      return keptDays === 0 ? 0 : (await deleteUntil(tasks, now() - keptDays * dayMs)).length;
    },
    deleteRemoved: (tasks, ids) => deleteUntil(tasks, now(), ids),
  };
}
