// Shows an item's audio in the system's file manager; desktop only.

import type { Item } from "../../main/contract/library-item.ts";
import { messageOf } from "../api/error.ts";
import { desktopBridge } from "../bridge/desktop.ts";
import { t } from "../messages/messages.ts";
import { toast } from "./toasts.ts";

export async function showInFolder({ id, title }: Pick<Item, "id" | "title">): Promise<void> {
  try {
    if ((await desktopBridge()?.showItem(id)) === false)
      toast({ text: () => t("frame.folder.none", { title }) });
  } catch (error) {
    toast({ tone: "bad", text: () => messageOf(error) });
  }
}
