// What can be done with removed items: restore them, delete them permanently, empty the trash.

import { RotateCcw, Trash2, X } from "lucide-react";
import { useState } from "react";
import type { Item } from "../../../main/contract/library-item.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { useTask } from "../../stores/task.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { deleteAndReload, restoreAndReload } from "./item-changes.ts";
import type { Listing } from "./use-listing.ts";

export type RemovedItems = ReturnType<typeof useRemovedItems>;

export function useRemovedItems(
  { dropRemoved }: Pick<Listing, "dropRemoved">,
  results: { clear: () => void; fail: (error: unknown) => void },
) {
  /** The user is asked whether to delete these; undefined: nothing is asked. */
  const [toDelete, askToDelete] = useState<readonly Item[]>();
  const deletion = useTask();
  return {
    restore: (items: readonly Item[]): void =>
      void restoreAndReload(items).then(dropRemoved).then(results.clear, results.fail),
    toDelete,
    askToDelete,
    deletion,
    deleteNow: (): void =>
      void deletion.run(async () => {
        dropRemoved(await deleteAndReload(toDelete ?? []));
        askToDelete(undefined);
      }),
  };
}

type RemovedBarProps = { selected: readonly Item[]; removed: RemovedItems; onClear: () => void };

/** Actions for selected removed items; replaces the list's controls. */
export function RemovedBar({ selected, removed, onClear }: RemovedBarProps) {
  useAction({
    id: "library.deselect",
    title: t("library.bulk.clear"),
    keys: "Escape",
    run: onClear,
  });
  return (
    <div className="library-selection" role="group" aria-label={t("library.bulk")}>
      <span className="figures" role="status">
        {t("library.bulk.count", { count: selected.length })}
      </span>
      <Button isSmall icon={<RotateCcw aria-hidden />} onClick={() => removed.restore(selected)}>
        {t("library.removed.restore")}
      </Button>
      <Button isSmall icon={<Trash2 aria-hidden />} onClick={() => removed.askToDelete(selected)}>
        {t("library.delete")}
      </Button>
      <IconButton label={t("library.bulk.clear")} keys="Escape" isSmall onClick={onClear}>
        <X aria-hidden />
      </IconButton>
    </div>
  );
}

export const ConfirmDeletion = ({
  removed: { toDelete, askToDelete, deletion, deleteNow },
}: {
  removed: RemovedItems;
}) => (
  <Confirm
    title={t("library.delete")}
    text={
      toDelete?.length === 1
        ? t("library.delete.one", { title: toDelete[0]?.title ?? "" })
        : t("library.delete.many", { count: toDelete?.length ?? 0 })
    }
    verb={t("library.delete")}
    isOpen={toDelete !== undefined}
    isBusy={deletion.isBusy}
    error={deletion.error}
    onConfirm={deleteNow}
    onClose={() => askToDelete(undefined)}
  />
);
