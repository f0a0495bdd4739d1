// The trash: removed items can be restored for thirty days, then they are permanently deleted with their files.

import { rm } from "node:fs/promises";
import type { Database } from "../storage/database.ts";
import type { AsyncLibraryTasks } from "./library-tasks.ts";

export type ItemTrash = {
  /** In one transaction. @returns the ids of items that were in the library */
  moveIn(ids: readonly string[]): string[];
  /** In one transaction. @returns the ids of items that were in the trash */
  moveOut(ids: readonly string[]): string[];
  /** Permanently deletes items that were removed thirty days ago, with their files. @returns how many */
  purge(tasks: Pick<AsyncLibraryTasks, "dropItem">): Promise<number>;
};

const retentionMs = 30 * 86_400_000;

export function createItemTrash(
  database: Database,
  { folder, now }: { folder(id: string): string; now(): number },
): ItemTrash {
  const { sqlite } = database;
  const updateDeleted = sqlite.prepare(
    "UPDATE items SET deleted_at_ms = ? WHERE id = ? AND (deleted_at_ms IS NULL) = ?",
  );
  const selectExpired = sqlite.prepare(
    "SELECT id FROM items WHERE deleted_at_ms < ? AND id = coalesce(?, id)",
  );

  return {
    moveIn: (ids) =>
      database.change(() => ids.filter((id) => updateDeleted.run(now(), id, 1).changes !== 0)),
    moveOut: (ids) =>
      database.change(() => ids.filter((id) => updateDeleted.run(null, id, 0).changes !== 0)),
    async purge({ dropItem }) {
      const expiredBeforeMs = now() - retentionMs;
      let count = 0;
      for (const { id } of selectExpired.all(expiredBeforeMs, null) as { id: string }[]) {
        // It may have been restored meanwhile.
        if (selectExpired.get(expiredBeforeMs, id) === undefined) continue;
        // Files first: otherwise, a crash between the two steps would leave files without a row.
        await rm(folder(id), { recursive: true, force: true });
        await dropItem(id);
        count += 1;
      }
      return count;
    },
  };
}
