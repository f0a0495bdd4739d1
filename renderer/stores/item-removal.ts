// Taking an item out of the library, with its way back by the window's undo.

import type { Item } from '../../main/contract/studio.ts';
import { call } from '../api/client.ts';
import { messageOf } from '../api/error.ts';
import { t } from '../messages/messages.ts';
import { forgetItem, keepItem } from './items.ts';
import { toast } from './toasts.ts';
import { useUndo } from './undo.ts';

async function takeAway(id: string): Promise<void> {
  await call('removeItem', {}, id);
  forgetItem(id);
}

/** @throws ApiError */
export async function restoreItem(id: string): Promise<void> {
  keepItem(await call('restoreItem', {}, id));
}

/** Work on it ends. `title` names the step for undo. @throws ApiError */
export async function removeItem({ id }: Item, title: string): Promise<void> {
  await takeAway(id);
  useUndo.getState().push({ title, undo: () => restoreItem(id), redo: () => takeAway(id) });
}

/** The same where the row is gone with it: a toast tells what happened, and takes it back. */
export async function removeItemWithToast(item: Item, title: string): Promise<void> {
  try {
    await removeItem(item, title);
  } catch (error) {
    toast({ tone: 'bad', text: messageOf(error) });
    return;
  }
  toast({ text: title, action: { label: t('shell.undo'), run: () => void useUndo.getState().undo() } });
}
