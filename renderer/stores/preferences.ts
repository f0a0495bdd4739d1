// What a person set, kept by the app. A change shows at once and is sent by itself, so that windows leave each other's
// changes alone; one that could not be saved is taken back and said.

import { create } from "zustand";
import { difference, merged } from "../../main/contract/merge-patch.ts";
import { preferences, type Preferences } from "../../main/contract/studio-api.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";
import { t } from "../messages/messages.ts";
import { toast } from "./toasts.ts";

export const usePreferences = create<Preferences>(() => preferences.parse({}));

/** As the app has them, as far as is known. */
let saved: Preferences = usePreferences.getState();
/** One request at a time: each answer is newer than the one before. */
let last: Promise<void> = Promise.resolve();
const inTurn = (work: () => Promise<void>): Promise<void> => (last = last.then(work));

/** What the app has; on top of it what was changed here since `base`. */
function take(now: Preferences, base: Preferences): void {
  const next = merged(now, difference(base, usePreferences.getState())) as Preferences;
  saved = now;
  if (Object.keys(difference(usePreferences.getState(), next)).length > 0)
    usePreferences.setState(next, true);
}

export async function loadPreferences(): Promise<void> {
  saved = await call("readPreferences", {});
  usePreferences.setState(saved, true);
}

/** Takes over what another window set. */
export const followPreferences = (): Promise<void> =>
  inTurn(async () => take(await call("readPreferences", {}).catch(() => saved), saved));

/** A field given as undefined goes back to what is usual. */
export function changePreferences(change: {
  [Field in keyof Preferences]?: Preferences[Field] | undefined;
}): Promise<void> {
  usePreferences.setState(change as Partial<Preferences>);
  return inTurn(save);
}

async function save(): Promise<void> {
  const sent = usePreferences.getState();
  const patch = difference(saved, sent);
  // An earlier one carried this change.
  if (Object.keys(patch).length === 0) return;
  try {
    take(await call("changePreferences", patch), sent);
  } catch (error) {
    take(saved, sent);
    toast({ tone: "bad", text: t("shell.preferences.failed", { why: messageOf(error) }) });
  }
}
