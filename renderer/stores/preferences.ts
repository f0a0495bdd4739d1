// Preferences, stored by the app. A change shows at once and is sent as a patch, so that windows do not overwrite each
// other's changes; one that cannot be saved is reverted and reported.

import { create } from "zustand";
import { createMergePatch, applyMergePatch } from "../../main/contract/merge-patch.ts";
import { preferences, type Preferences } from "../../main/contract/preferences.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";
import { t } from "../messages/messages.ts";
import { toast } from "./toasts.ts";

export const usePreferences = create<Preferences>(() => preferences.parse({}));

/** As the app has them, as far as is known. */
let saved: Preferences = usePreferences.getState();
/** One request at a time, so that each response is newer than the one before. */
let lastRequest: Promise<void> = Promise.resolve();
const enqueue = (work: () => Promise<void>): Promise<void> =>
  (lastRequest = lastRequest.then(work));

/** Applies the app's version, with local changes since `base` on top. */
function mergeReceived(received: Preferences, base: Preferences): void {
  const next = applyMergePatch(
    received,
    createMergePatch(base, usePreferences.getState()),
  ) as Preferences;
  saved = received;
  if (Object.keys(createMergePatch(usePreferences.getState(), next)).length > 0)
    usePreferences.setState(next, true);
}

export async function loadPreferences(): Promise<void> {
  saved = await call("readPreferences", {});
  usePreferences.setState(saved, true);
}

/** Loads what another window changed. */
export const reloadPreferences = (): Promise<void> =>
  enqueue(async () => mergeReceived(await call("readPreferences", {}).catch(() => saved), saved));

/** A field set to undefined returns to its default. */
export function changePreferences(change: {
  [Field in keyof Preferences]?: Preferences[Field] | undefined;
}): Promise<void> {
  usePreferences.setState(change as Partial<Preferences>);
  return enqueue(save);
}

async function save(): Promise<void> {
  const sent = usePreferences.getState();
  const patch = createMergePatch(saved, sent);
  // An earlier request included this change.
  if (Object.keys(patch).length === 0) return;
  try {
    mergeReceived(await call("changePreferences", patch), sent);
  } catch (error) {
    mergeReceived(saved, sent);
    toast({ tone: "bad", text: () => t("frame.preferences.failed", { why: messageOf(error) }) });
  }
}
