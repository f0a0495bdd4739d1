// The key clients show as `Authorization: Bearer …`. Made at the first run and kept in a file that only its owner
// can read; a key given from outside is used in its place and never written down.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, link, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface ApiKeys {
  /** For the owner's own eyes and clients. */
  readonly key: string;
  /** Takes the same time however much of the presented key is right. */
  verify(presented: string): boolean;
}

/** Keys are compared at this width, whatever their length. */
const widestKeyBytes = 256;

/** `dataDir` exists. `given` (an environment variable, a flag) wins over the file when it is not blank. @throws when it is too long. */
export async function createApiKeys({ dataDir, given }: { dataDir: string; given?: string | undefined }): Promise<ApiKeys> {
  const key = given?.trim() || (await storedKey(join(dataDir, 'api-key')));
  if (Buffer.byteLength(key) > widestKeyBytes) throw new Error(`an API key has at most ${widestKeyBytes} bytes`);
  const expected = Buffer.alloc(widestKeyBytes);
  expected.write(key);
  // One buffer for all that is presented: a hash at every request would be the costliest part of serving it.
  const scratch = Buffer.alloc(widestKeyBytes);
  return {
    key,
    verify(presented) {
      const sizeBytes = scratch.fill(0).write(presented);
      return timingSafeEqual(scratch, expected) && sizeBytes === Buffer.byteLength(presented) && !presented.includes('\0');
    },
  };
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
