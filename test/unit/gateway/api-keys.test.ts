import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { createLog } from '../../../main/log.ts';
import { createApiKeys } from '../../../main/settings/api-keys.ts';

async function dataFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hearsay-keys-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

describe('the API key', () => {
  it('is made at the first run, from 32 random bytes, in a file only its owner can read', async () => {
    const dataDir = await dataFolder();
    const { key } = await createApiKeys({ dataDir });
    expect(key).toMatch(/^hs-[\w-]{43}$/);
    expect(await readdir(dataDir)).toEqual(['api-key']);
    expect((await stat(join(dataDir, 'api-key'))).mode & 0o777).toBe(0o600);
    expect((await readFile(join(dataDir, 'api-key'), 'utf8')).trim()).toBe(key);
    expect((await createApiKeys({ dataDir: await dataFolder() })).key).not.toBe(key);
  });

  it('stays the same from run to run, and its file is closed to others again', async () => {
    const dataDir = await dataFolder();
    const { key } = await createApiKeys({ dataDir });
    await chmod(join(dataDir, 'api-key'), 0o644);
    expect((await createApiKeys({ dataDir })).key).toBe(key);
    expect((await stat(join(dataDir, 'api-key'))).mode & 0o777).toBe(0o600);
  });

  it('is one and the same for processes that start together', async () => {
    const dataDir = await dataFolder();
    const keys = await Promise.all(Array.from({ length: 8 }, () => createApiKeys({ dataDir })));
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
    expect(await readdir(dataDir)).toEqual(['api-key']);
  });

  it('is made anew where its file is empty', async () => {
    const dataDir = await dataFolder();
    await writeFile(join(dataDir, 'api-key'), '');
    const { key } = await createApiKeys({ dataDir });
    expect(key).toMatch(/^hs-/);
    expect((await createApiKeys({ dataDir })).key).toBe(key);
  });

  it('given from outside wins and is not written down', async () => {
    const dataDir = await dataFolder();
    expect((await createApiKeys({ dataDir, given: ' own-key\n' })).key).toBe('own-key');
    expect(await readdir(dataDir)).toEqual([]);
    expect((await createApiKeys({ dataDir, given: ' ' })).key).toMatch(/^hs-/);
  });

  it('is verified as a whole', async () => {
    const { verify } = await createApiKeys({ dataDir: await dataFolder(), given: 'own-kéy' });
    expect(verify('own-kéy')).toBe(true);
    for (const wrong of ['', 'own-ké', 'own-kéyy', 'own-kéy\0', 'own-key', 'x'.repeat(300), `own-kéy${'\0'.repeat(300)}`]) expect(verify(wrong)).toBe(false);
    expect(verify('own-kéy')).toBe(true);
    await expect(createApiKeys({ dataDir: await dataFolder(), given: 'x'.repeat(257) })).rejects.toThrow('at most 256 bytes');
  });
});

function logged(level: string | undefined) {
  const lines: string[] = [];
  return { log: createLog(level, { write: (line) => void lines.push(line) }), lines };
}

describe('the log', () => {
  it('is quiet until something deserves a look, unless asked', () => {
    for (const level of [undefined, '', 'loud']) {
      const { log, lines } = logged(level);
      log.info('usual');
      log.warn('unusual');
      expect(lines).toHaveLength(1);
    }
    const { log, lines } = logged('debug');
    log.child({ room: 'gateway' }).debug({ requestId: 'req_1' }, 'answered');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'debug', room: 'gateway', requestId: 'req_1', msg: 'answered' });
  });

  it('keeps no secret', () => {
    const { log, lines } = logged('info');
    log.info({ authorization: 'Bearer hs-secret', headers: { authorization: 'Bearer hs-secret', cookie: 'hs-secret' }, key: 'hs-secret', channel: { apiKey: 'hs-secret' } });
    expect(lines[0]).not.toContain('hs-secret');
  });
});
