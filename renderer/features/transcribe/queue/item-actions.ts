// Actions on an item of the queue: cancel, transcribe again, remove and undo that.

import type { Item } from "../../../../main/contract/library-item.ts";
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

/** Transcribes with the current options. If there is a transcript already, creates a new item and opens it. */
export async function retranscribeItem(item: Item): Promise<void> {
  const newItem = await call("transcribeItem", usePreferences.getState().transcribe, item.id);
  storeItem(newItem);
  go(itemPath(newItem));
}

/** It was interrupted after some text: the rest can be transcribed with the same options. */
export const isResumable = ({ state, isPartial }: Item): boolean =>
  (state === "cancelled" || state === "failed") && isPartial;

/** Transcribes what is left, in place. */
export async function resumeTranscription(item: Item): Promise<void> {
  const { options } = await call("readDocument", {}, item.id);
  storeItem(await call("transcribeItem", options, item.id));
}

/** Why an item's audio cannot be transcribed again now. */
export const retranscribeDisabledReason = (item: Item): string | undefined =>
  isInProgress(item) || item.state === "recording"
    ? t("transcribe.is-at-work")
    : item.hasMedia
      ? undefined
      : t("transcribe.no-sound");

/** Transcribes the failed ranges of a partial transcript again, in place. */
export async function retranscribeFailed(item: Item): Promise<void> {
  storeItem(await call("retranscribeFailed", {}, item.id));
}

/** Ends an interrupted recording and transcribes what was recorded. */
export async function finishRecording(item: Item): Promise<void> {
  storeItem(await endRecording(item.id));
}

export const removeItem = (item: Item): Promise<void> =>
  removeItemWithToast(item, t("transcribe.undo.item", { title: item.title }));
