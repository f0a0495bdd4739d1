// An item of an archive that was unpacked: read, checked, and taken into the library.

import { cp, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { item, transcriptDocument } from '../contract/studio.ts';
import type { Database } from './database.ts';
import { storedNarration, type WholeItem, writeWholeItem } from './whole-item.ts';

/** @param fromDir where it was unpacked @param toDir where its files go @throws where it is not what an export wrote */
export async function bringBack(database: Database, id: string, fromDir: string, toDir: string): Promise<void> {
  const whole = await readStaged(fromDir, id);
  const files = join(fromDir, 'files');
  await mkdir(files, { recursive: true, mode: 0o700 });
  await mkdir(join(toDir, '..'), { recursive: true, mode: 0o700 });
  // Files that lie there without an item stay.
  await rename(files, toDir).catch(() => cp(files, toDir, { recursive: true, force: false }));
  database.change(() => writeWholeItem(database.sqlite, whole));
}

async function readStaged(folder: string, id: string): Promise<WholeItem> {
  const [fields, document, narration] = await Promise.all(['item.json', 'document.json', 'narration.json'].map((name) => readJson(join(folder, name))));
  const known = item.parse(fields);
  if (known.id !== id) throw new Error('the item has another id than its folder');
  // What was being worked on is not any more: it can be begun again.
  const isAtWork = ['recording', 'waiting', 'running'].includes(known.state);
  const { leftSec: _, ...rest } = known;
  return {
    item: isAtWork ? { ...rest, state: 'cancelled' } : known,
    ...(document === undefined ? {} : { document: transcriptDocument.parse(document) }),
    ...(narration === undefined ? {} : { narration: storedNarration.parse(narration) }),
  };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
