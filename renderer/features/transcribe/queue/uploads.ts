// Files on their way to the app: two at a time, with progress, to be cancelled and tried again. Once the app has a file
// it is an item, and its work is the app's.

import { create } from 'zustand';
import type { TranscribeOptions } from '../../../../main/contract/studio.ts';
import { isAbort, messageOf } from '../../../api/error.ts';
import { uploadMedia } from '../../../api/raw.ts';
import { keepItem } from '../../../stores/items.ts';

export type Upload = {
  readonly id: number;
  readonly file: File;
  readonly options: TranscribeOptions;
  readonly state: 'waiting' | 'sending' | 'failed';
  readonly sentBytes: number;
  /** Why it failed. */
  readonly message: string | undefined;
  /** Told the item's id once the app has it. */
  readonly onArrived: (itemId: string) => void;
};

const atOnce = 2;
let nextId = 1;
const aborts = new Map<number, AbortController>();

export const useUploads = create<{ uploads: readonly Upload[] }>(() => ({ uploads: [] }));

const change = (id: number, fields: Partial<Upload>): void => useUploads.setState(({ uploads }) => ({ uploads: uploads.map((upload) => (upload.id === id ? { ...upload, ...fields } : upload)) }));
const forget = (id: number): void => useUploads.setState(({ uploads }) => ({ uploads: uploads.filter((upload) => upload.id !== id) }));

async function send({ id, file, options, onArrived }: Upload): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  change(id, { state: 'sending', sentBytes: 0, message: undefined });
  try {
    const item = await uploadMedia(file, options, (sentBytes) => change(id, { sentBytes }), abort.signal);
    keepItem(item);
    forget(id);
    onArrived(item.id);
  } catch (error) {
    if (isAbort(error)) forget(id);
    else change(id, { state: 'failed', message: messageOf(error) });
  } finally {
    aborts.delete(id);
    pump();
  }
}

function pump(): void {
  const { uploads } = useUploads.getState();
  const free = atOnce - uploads.filter((upload) => upload.state === 'sending').length;
  for (const upload of uploads.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, free))) void send(upload);
}

export function addUploads(files: readonly File[], options: TranscribeOptions, onArrived: (itemId: string) => void): void {
  const added = files.map((file): Upload => ({ id: nextId++, file, options, state: 'waiting', sentBytes: 0, message: undefined, onArrived }));
  useUploads.setState(({ uploads }) => ({ uploads: [...uploads, ...added] }));
  pump();
}

// Until the app has a file, it is nowhere but in this page.
addEventListener('beforeunload', (event) => {
  if (useUploads.getState().uploads.some(({ state }) => state !== 'failed')) event.preventDefault();
});

/** Stops it where it is under way; a failed one is put away. */
export function cancelUpload(id: number): void {
  const abort = aborts.get(id);
  if (abort === undefined) forget(id);
  else abort.abort();
}

export function retryUpload(id: number): void {
  change(id, { state: 'waiting', message: undefined });
  pump();
}
