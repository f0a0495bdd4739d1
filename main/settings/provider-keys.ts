// The keys this gateway shows to providers: apart from all other settings, sealed where the platform can, else in a
// file only its owner can read. A key belongs to one origin and is given for no other. Follows what other processes set.

import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../log.ts';
import type { SecretBox } from '../platform.ts';

/** `origin` as in `https://api.openai.com`. */
export type KeyedChannel = { id: string; name: string; origin: string };

export type ProviderKeys = {
  /** That of the environment, else the one stored for this channel and origin. Cheap enough for every request. */
  get(channel: KeyedChannel): string | undefined;
  /** `stored` also where the key was sealed elsewhere and cannot be opened here. */
  source(channel: KeyedChannel): 'stored' | 'environment' | 'none';
  /** @throws AppError where the key cannot be sent in a header */
  set(channelId: string, origin: string, key: string): Promise<void>;
  remove(channelId: string): Promise<void>;
};

export type ProviderKeysDeps = { dataDir: string; secretBox?: SecretBox | undefined; env: NodeJS.ProcessEnv; log: Log; /** What another process did may show so much later. */ freshMs?: number };

const storedKeys = z.object({
  keys: z.array(z.object({ channelId: z.string(), origin: z.string(), key: z.string().optional(), sealed: z.string().optional() })),
});
type StoredKey = z.infer<typeof storedKeys>['keys'][number];

/** The variable whose key wins over the stored one: `My Groq` → `HEARSAY_CHANNEL_MY_GROQ_KEY`. */
export const keyVariable = (channelName: string): string => `HEARSAY_CHANNEL_${channelName.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_')}_KEY`;

const usualFreshMs = 10;

export async function createProviderKeys({ dataDir, secretBox, env, log, freshMs = usualFreshMs }: ProviderKeysDeps): Promise<ProviderKeys> {
  const path = join(dataDir, 'provider-keys.json');
  let entries: readonly StoredKey[] = [];
  let seen = '';
  let lookedAtMs = -Infinity;
  /** Sealed text → key. */
  const opened = new Map<string, string>();

  /** @returns undefined where the file makes no sense */
  function read(): StoredKey[] | undefined {
    try {
      return storedKeys.parse(JSON.parse(readFileSync(path, 'utf8'))).keys;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  /** @returns whether the file is another than the last time; what is sealed in it is still to be opened */
  function follow(): boolean {
    const nowMs = performance.now();
    if (nowMs - lookedAtMs < freshMs) return false;
    lookedAtMs = nowMs;
    const file = statSync(path, { throwIfNoEntry: false });
    const now = file === undefined ? 'none' : `${file.ino} ${file.mtimeMs} ${file.size}`;
    if (now === seen) return false;
    const found = read();
    if (found === undefined) log.error('the file of provider keys makes no sense: no stored key is used');
    entries = found ?? [];
    seen = now;
    return true;
  }

  async function openSealed(): Promise<void> {
    for (const { channelId, sealed } of entries) {
      if (secretBox === undefined || sealed === undefined || opened.has(sealed)) continue;
      try {
        opened.set(sealed, await secretBox.open(sealed));
      } catch (error) {
        log.warn({ channelId, reason: (error as Error).message }, 'the key of a channel cannot be opened');
      }
    }
  }

  const fromEnvironment = ({ name }: KeyedChannel): string | undefined => env[keyVariable(name)]?.trim() || undefined;

  function stored({ id, origin }: KeyedChannel): StoredKey | undefined {
    // A request that comes while a new key is still sealed goes without one.
    if (follow()) void openSealed();
    return entries.find((entry) => entry.channelId === id && entry.origin === origin);
  }

  async function change(edit: (keys: StoredKey[]) => StoredKey[]): Promise<void> {
    await oneAtATime(`${path}.lock`, async () => {
      const before = read();
      // A person may want to mend it.
      if (before === undefined) await rename(path, `${path}.broken`);
      await replace(path, `${JSON.stringify({ keys: edit(before ?? []) }, null, 2)}\n`);
    });
    lookedAtMs = -Infinity;
    follow();
    await openSealed();
  }

  follow();
  await openSealed();

  return {
    get(channel) {
      const given = fromEnvironment(channel);
      if (given !== undefined) return given;
      const entry = stored(channel);
      return entry?.key ?? (entry?.sealed === undefined ? undefined : opened.get(entry.sealed));
    },
    source: (channel) => (fromEnvironment(channel) !== undefined ? 'environment' : stored(channel) !== undefined ? 'stored' : 'none'),
    async set(channelId, origin, given) {
      const key = given.trim();
      if (!/^[\x21-\x7E]+$/.test(key)) throw new AppError('invalid_value', 'A key must be printable characters without spaces.', { param: 'key' });
      const entry: StoredKey = { channelId, origin, ...(secretBox === undefined ? { key } : { sealed: await secretBox.seal(key) }) };
      await change((keys) => [...keys.filter((other) => other.channelId !== channelId), entry]);
    },
    async remove(channelId) {
      if (read()?.some((entry) => entry.channelId === channelId)) await change((keys) => keys.filter((entry) => entry.channelId !== channelId));
    },
  };
}

const lockStaleMs = 5_000;
const lockPollMs = 10;

/** Across processes: who could make the lock file has the turn. One left behind by a crash is passed over. */
async function oneAtATime(lockPath: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await (await open(lockPath, 'wx', 0o600)).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const madeMs = await stat(lockPath).then((file) => file.mtimeMs, () => Date.now());
      if (Date.now() - madeMs > lockStaleMs) await rm(lockPath, { force: true });
      else await pause(lockPollMs);
    }
  }
  try {
    await work();
  } finally {
    await rm(lockPath, { force: true });
  }
}

/** The file is the old one or the new one at any moment, and nobody else's to read. */
async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
