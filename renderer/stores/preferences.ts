// What a person set, kept by the app. A change shows at once; the last one wins when several are on their way, and
// one that could not be saved is taken back and said.

import { create } from 'zustand';
import { preferences, type Preferences } from '../../main/contract/studio-api.ts';
import { call } from '../api/client.ts';
import { messageOf } from '../api/error.ts';
import { t } from '../messages/messages.ts';
import { toast } from './toasts.ts';

export const usePreferences = create<Preferences>(() => preferences.parse({}));

let saved: Preferences = usePreferences.getState();
let saving: Promise<void> = Promise.resolve();
let waiting = 0;
let isSaving = false;

export async function loadPreferences(): Promise<void> {
  saved = await call('readPreferences', {});
  usePreferences.setState(saved, true);
}

/** Takes over what another window set, unless something set here is on its way and will come after it. */
export async function followPreferences(): Promise<void> {
  if (isSaving || waiting > 0) return;
  const before = usePreferences.getState();
  const now = await call('readPreferences', {}).catch(() => before);
  if (usePreferences.getState() === before && JSON.stringify(now) !== JSON.stringify(before)) usePreferences.setState((saved = now), true);
}

/** A field given as undefined goes back to what is usual. */
export function changePreferences(patch: { [Field in keyof Preferences]?: Preferences[Field] | undefined }): Promise<void> {
  const next = Object.fromEntries(Object.entries({ ...usePreferences.getState(), ...patch }).filter(([, value]) => value !== undefined)) as Preferences;
  usePreferences.setState(next, true);
  waiting += 1;
  saving = saveAfter(saving);
  return saving;
}

async function saveAfter(earlier: Promise<void>): Promise<void> {
  await earlier;
  waiting -= 1;
  // A later change carries this one.
  if (waiting > 0) return;
  isSaving = true;
  try {
    saved = await call('changePreferences', usePreferences.getState());
  } catch (error) {
    usePreferences.setState(saved, true);
    toast({ tone: 'bad', text: t('shell.preferences.failed', { why: messageOf(error) }) });
  } finally {
    isSaving = false;
  }
}
