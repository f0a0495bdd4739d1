// The key clients show as `Authorization: Bearer …`. Made at the first run and kept in a file that only its owner
// can read; a key given from outside is used in its place and never written down.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, link, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface ApiKeys {
  /** For the owner's own eyes and clients. */
  readonly key: string;
  /** Takes the same time however much of the presented key is right. */
  verify(presented: string): boolean;
}

const digest = (text: string) => hash('sha256', text, 'buffer');

/** `dataDir` exists. `given` (an environment variable, a flag) wins over the file when it is not blank. */
export async function createApiKeys({ dataDir, given }: { dataDir: string; given?: string | undefined }): Promise<ApiKeys> {
  const key = given?.trim() || (await storedKey(join(dataDir, 'api-key')));
  const expected = digest(key);
  return { key, verify: (presented) => timingSafeEqual(digest(presented), expected) };
}

async function storedKey(path: string): Promise<string> {
  const kept = await readKey(path);
  if (kept !== '') {
    await chmod(path, 0o600);
    return kept;
  }
  const made = `hs-${randomBytes(32).toString('base64url')}`;
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${made}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // A hard link fails where another process was first: then both use that one's key. An empty file holds no key.
    try {
      await link(draft, path);
    } catch {
      const theirs = await readKey(path);
      if (theirs !== '') return theirs;
      await rename(draft, path);
    }
  } finally {
    await rm(draft, { force: true });
  }
  return made;
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
