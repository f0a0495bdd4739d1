import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createApiKeys } from '../../../main/settings/api-keys.ts';
import { awkwardFolder } from '../../support/test-data.ts';

it('makes a key at the first run and keeps it', async () => {
  const dataDir = await awkwardFolder();
  const first = await createApiKeys({ dataDir });
  const second = await createApiKeys({ dataDir });
  expect(first.key).toMatch(/^hs-[\w-]{43}$/);
  expect(second.key).toBe(first.key);
  expect(await readdir(dataDir)).toEqual(['api-key']);
});

it.skipIf(process.platform === 'win32')('lets nobody else read the file, also when it was open before', async () => {
  const dataDir = await awkwardFolder();
  const path = join(dataDir, 'api-key');
  await writeFile(path, 'hs-mine\n', { mode: 0o644 });
  expect((await createApiKeys({ dataDir })).key).toBe('hs-mine');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('uses a key from outside without writing it down', async () => {
  const dataDir = await awkwardFolder();
  const keys = await createApiKeys({ dataDir, given: ' hs-given ' });
  expect(keys.key).toBe('hs-given');
  expect(await readdir(dataDir)).toEqual([]);
});

it('knows its key from others', async () => {
  const { key, verify } = await createApiKeys({ dataDir: await awkwardFolder() });
  expect([key, key.slice(0, -1), `${key}x`, '', key.toUpperCase()].map(verify)).toEqual([true, false, false, false, false]);
});

it('makes one key where several begin at once', async () => {
  const dataDir = await awkwardFolder();
  const keys = await Promise.all(Array.from({ length: 8 }, () => createApiKeys({ dataDir })));
  expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
  expect((await readFile(join(dataDir, 'api-key'), 'utf8')).trim()).toBe(keys[0]?.key);
});

it('makes a new key for an empty file', async () => {
  const dataDir = await awkwardFolder();
  await writeFile(join(dataDir, 'api-key'), '\n');
  const { key } = await createApiKeys({ dataDir });
  expect(key).toMatch(/^hs-/);
  expect((await createApiKeys({ dataDir })).key).toBe(key);
});
