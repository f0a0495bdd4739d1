// Removes an item from the library, with undo.

import type { Item } from "../../main/contract/library-item.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";
import { t } from "../messages/messages.ts";
import { dropItem, storeItem } from "./items.ts";
import { dismissToast, toast } from "./toasts.ts";
import { type UndoStep, useUndo } from "./undo.ts";

async function sendRemoval(id: string): Promise<void> {
  await call("removeItem", {}, id);
  dropItem(id);
}

/** @throws ApiError */
async function restoreItem(id: string): Promise<void> {
  storeItem(await call("restoreItem", {}, id));
}

/**
 * Ends work on the item. `title` names the undo step, in the language at the time it is shown.
 * @returns the undo step
 * @throws ApiError
 */
export async function removeItem({ id }: Item, title: () => string): Promise<UndoStep> {
  await sendRemoval(id);
  return useUndo.getState().push({
    get title() {
      return title();
    },
    undo: () => restoreItem(id),
    redo: () => sendRemoval(id),
  });
}

/** Removes an item and shows a toast with undo, for pages where its row disappears. */
export async function removeItemWithToast(item: Item, title: string): Promise<void> {
  let step: UndoStep;
  try {
    step = await removeItem(item, () => title);
  } catch (error) {
    toast({ tone: "bad", text: () => messageOf(error) });
    return;
  }
  const toastId = toast({
    text: title,
    action: { label: t("frame.undo"), run: () => void useUndo.getState().undo(step) },
  });
  const unsubscribe = useUndo.subscribe(({ past }) => {
    if (past.includes(step)) return;
    unsubscribe();
    dismissToast(toastId);
  });
}
