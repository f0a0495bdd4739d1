import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { UpdateState } from '../../../main/contract/shell-bridge.ts';
import { createUpdates, type UpdatesDeps } from '../../../main/shell/updates.ts';
import { awkwardFolder } from '../../support/test-data.ts';

class Updater extends EventEmitter {
  autoDownload = true;
  autoInstallOnAppQuit = true;
  feeds: unknown[] = [];
  installs = 0;
  find: () => Promise<unknown> = async () => void this.emit('update-available', { version: '1.2.0' });
  fetch: () => Promise<unknown> = async () => {
    this.emit('download-progress', { percent: 40 });
    this.emit('update-downloaded', { version: '1.2.0' });
  };
  set updateConfigPath(path: string) {
    this.feeds.push(JSON.parse(readFileSync(path, 'utf8')));
  }
  checkForUpdates = async (): Promise<unknown> => (await this.find()) ?? {};
  downloadUpdate = (): Promise<unknown> => this.fetch();
  quitAndInstall = (): void => void (this.installs += 1);
}

async function open(feed = 'https://updates.test/hearsay/') {
  const folder = await awkwardFolder();
  const updater = new Updater();
  const seen: UpdateState[] = [];
  let loads = 0;
  let ends = 0;
  let givenUp = 0;
  const load = (async () => {
    loads += 1;
    return updater;
  }) as unknown as NonNullable<UpdatesDeps['load']>;
  const endsAll: UpdatesDeps['quitFor'] = (last) => {
    ends += 1;
    last(() => (givenUp += 1));
  };
  const updates = createUpdates({ feed: () => feed, configPath: join(folder, 'updates.yml'), onChange: () => seen.push(updates.state()), quitFor: endsAll, load });
  return { updates, updater, seen, counts: () => ({ loads, ends, installs: updater.installs }), givenUp: () => givenUp };
}

it('nothing is loaded, asked or fetched by itself', async () => {
  const { updates, updater, counts } = await open();
  await updates.download();
  await updates.install();
  expect(updates.state()).toEqual({ step: 'idle' });
  expect(counts()).toEqual({ loads: 0, ends: 0, installs: 0 });
  await updates.check();
  expect([updater.autoDownload, updater.autoInstallOnAppQuit]).toEqual([false, false]);
});

it('without an address nobody is asked', async () => {
  const { updates, counts } = await open('');
  await updates.check();
  expect([updates.state(), counts().loads]).toEqual([{ step: 'idle' }, 0]);
});

it('an update is found, fetched and installed, each step asked for, the app ended before', async () => {
  const { updates, updater, seen, counts } = await open();
  await updates.check();
  expect(updates.state()).toEqual({ step: 'available', version: '1.2.0' });
  await updates.download();
  expect(updates.state()).toEqual({ step: 'ready', version: '1.2.0' });
  await updates.install();
  expect(counts()).toEqual({ loads: 1, ends: 1, installs: 1 });
  expect(updater.feeds).toEqual([{ provider: 'generic', url: 'https://updates.test/hearsay/', updaterCacheDirName: 'hearsay-updater' }]);
  expect(seen).toEqual([
    { step: 'checking' },
    { step: 'available', version: '1.2.0' },
    { step: 'downloading', version: '1.2.0', progress: 0 },
    { step: 'downloading', version: '1.2.0', progress: 0.4 },
    { step: 'ready', version: '1.2.0' },
  ]);
});

it('no update is told', async () => {
  const { updates, updater } = await open();
  updater.find = async () => void updater.emit('update-not-available', {});
  await updates.check();
  expect(updates.state()).toEqual({ step: 'current' });
});

it('what goes wrong is the state, and it can be tried again', async () => {
  const { updates, updater } = await open();
  updater.find = async () => Promise.reject(new Error('net::ERR_NAME_NOT_RESOLVED\n    at somewhere'));
  await updates.check();
  expect(updates.state()).toEqual({ step: 'failed', message: 'net::ERR_NAME_NOT_RESOLVED' });
  updater.find = async () => void updater.emit('update-available', { version: '1.2.0' });
  await updates.check();
  updater.fetch = async () => Promise.reject(new Error('sha512 checksum mismatch'));
  await updates.download();
  expect(updates.state()).toEqual({ step: 'failed', message: 'sha512 checksum mismatch' });
});

it('an app that is not installed says that it cannot be updated', async () => {
  const { updates, updater } = await open();
  updater.checkForUpdates = async () => null;
  await updates.check();
  expect(updates.state()).toEqual({ step: 'failed', message: 'Only an installed Hearsay can be updated.' });
});

it('an update that cannot be installed does not leave an app behind that has ended', async () => {
  const { updates, updater, givenUp } = await open();
  await updates.check();
  updater.quitAndInstall = () => void updater.emit('error', new Error('the file is gone'));
  await updates.download();
  expect(givenUp()).toBe(0);
  await updates.install();
  expect([givenUp(), updates.state()]).toEqual([1, { step: 'failed', message: 'the file is gone' }]);
});
