// What can be done to an item of the queue: stop its work, have it done again, remove it and take that back.

import type { Item } from "../../../../main/contract/studio.ts";
import { call } from "../../../api/client.ts";
import { endRecording } from "../../../api/binary.ts";
import { t } from "../../../messages/messages.ts";
import { removeItemWithToast } from "../../../stores/item-removal.ts";
import { storeItem, itemPath } from "../../../stores/items.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { go } from "../../../stores/route.ts";

export const isInProgress = ({ state }: Item): boolean =>
  state === "waiting" || state === "running";

export async function cancelTranscription(item: Item): Promise<void> {
  storeItem(await call("cancelItem", {}, item.id));
}

/** With the options of now. Where there is a transcript already, a new item is made and opened. */
export async function retranscribeItem(item: Item): Promise<void> {
  const newItem = await call("transcribeItem", usePreferences.getState().transcribe, item.id);
  storeItem(newItem);
  go(itemPath(newItem));
}

/** Of a partial transcript, the stretches that failed are heard once more, in place. */
export async function retranscribeFailed(item: Item): Promise<void> {
  storeItem(await call("hearFailed", {}, item.id));
}

/** A recording that nobody goes on with: what there is of it is heard. */
export async function finishRecording(item: Item): Promise<void> {
  storeItem(await endRecording(item.id));
}

export const removeItem = (item: Item): Promise<void> =>
  removeItemWithToast(item, t("transcribe.undo.item", { title: item.title }));
