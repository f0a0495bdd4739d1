// Several apps on one data folder, in one PID namespace and in others; folders of older versions; damaged libraries.
// Whatever starts, runs and is killed: one app owns the folder, and nothing acknowledged is lost.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Item } from '../../../main/contract/studio.ts';
import { copyLibrary, copyPath } from '../../../main/library/copies.ts';
import { createItems } from '../../../main/library/items.ts';
import { migrations } from '../../../main/library/migrations.ts';
import { libraryPath, openLibrary } from '../../../main/library/open-library.ts';
import { loadSqlite } from '../../../main/load-sqlite.ts';
import { quietLog } from '../../support/app.ts';
import { endOf, shellEnv } from '../../support/command-line.ts';
import { inOwnPidNamespace, noPidNamespace } from '../../support/namespaces.ts';
import type { Row } from '../../support/report.ts';
import type { EndureContext, EndurePart } from '../part.ts';

const area = 'instances';
const mainModule = resolve(import.meta.dirname, '..', '..', '..', 'main', 'headless', 'main.ts');
const key = 'hs-endurance-of-instances';
const env = { HEARSAY_PORT: '0', HEARSAY_WORKERS: '1', HEARSAY_API_KEY: key, HEARSAY_LOG: 'error' };
const none = { max: 0 };

type Start = { child: ChildProcess; printed(): string; ended: Promise<number | null>; /** Resolves when it serves, or has ended. */ settled: Promise<'owner' | 'ended'> };
type Counts = { starts: number; notHandedOver: number; nsStarts: number; nsFailures: number; lostSamples: number; lostFolders: number; owners: number; takeoverMs: number; damaged: number; notServed: number; lostItems: number; oldLost: number };

function startApp(dataDir: string, args: readonly string[], behind: readonly string[] = []): Start {
  const [program = '', ...rest] = [...behind, process.execPath, mainModule, ...args];
  const child = spawn(program, rest, { env: shellEnv(dataDir, env), stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const ended = endOf(child);
  const serving = Promise.withResolvers<'owner' | 'ended'>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes('stops it.')) serving.resolve('owner');
    });
  }
  void ended.then(() => serving.resolve('ended'));
  return { child, printed: () => printed, ended, settled: serving.promise };
}

async function startOwner(dataDir: string): Promise<Start> {
  const start = startApp(dataDir, ['serve', '--headless']);
  if ((await start.settled) !== 'owner') throw new Error(`the app did not start: ${start.printed()}`);
  return start;
}

const baseUrl = (start: Start): string => /Base URL\s+(\S+)/.exec(start.printed())?.[1] ?? '';

async function ask<T>(start: Start, method: string, path: string, body?: Uint8Array<ArrayBuffer>): Promise<T> {
  const response = await fetch(new URL(path, baseUrl(start)), { method, headers: { authorization: `Bearer ${key}` }, ...(body === undefined ? {} : { body }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const second = new Uint8Array(32_000);

export const part: EndurePart = {
  defaultMinutes: 3,
  async run(context) {
    const counts: Counts = { starts: 0, notHandedOver: 0, nsStarts: 0, nsFailures: 0, lostSamples: 0, lostFolders: 0, owners: 0, takeoverMs: 0, damaged: 0, notServed: 0, lostItems: 0, oldLost: 0 };
    const untilMs = performance.now() + context.minutes * 60_000;
    let round = 0;
    do {
      const dir = join(context.scratchDir, `round-${round}`);
      await shareFolder(join(dir, 'shared'), context, counts);
      await openOldFolders(join(dir, 'old'), context, counts);
      await damageLibraries(join(dir, 'damaged'), context, counts);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
      round += 1;
      context.log(`round ${round}: ${JSON.stringify(counts)}`);
    } while (!context.isShort && performance.now() < untilMs);
    return rowsOf(counts, round);
  },
};

function rowsOf(counts: Counts, rounds: number): Row[] {
  const namespaces: Row = noPidNamespace === undefined
    ? { area, what: 'failures of apps in another PID namespace', value: counts.nsFailures, unit: '', goal: none, note: `${counts.nsStarts} starts and commands` }
    : { area, what: 'failures of apps in another PID namespace', value: undefined, unit: '', goal: none, note: `not run: ${noPidNamespace}` };
  return [
    { area, what: 'second starts that did not hand over', value: counts.notHandedOver, unit: '', goal: none, note: `${counts.starts} starts in ${rounds} rounds` },
    { area, what: 'owners beyond one', value: counts.owners, unit: '', goal: none },
    { area, what: 'acknowledged samples of recordings lost', value: counts.lostSamples, unit: '', goal: none },
    { area, what: 'temporary folders of a running app lost', value: counts.lostFolders, unit: '', goal: none },
    namespaces,
    { area, what: 'longest until another app took over from a killed one', value: counts.takeoverMs / 1000, unit: 's' },
    { area, what: 'rows of older data folders lost', value: counts.oldLost, unit: '', goal: none },
    { area, what: 'damaged libraries with which nothing started', value: counts.notServed, unit: '', goal: none, note: `${counts.damaged} damaged` },
    { area, what: 'items of a copy lost by a damaged library', value: counts.lostItems, unit: '', goal: none },
  ];
}

/** A recording goes on while others start on the folder, here and in other PID namespaces; then its app is killed. */
async function shareFolder(dataDir: string, { random, isShort }: EndureContext, counts: Counts): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const owner = await startOwner(dataDir);
  const all: Start[] = [owner];
  try {
    const { id } = await ask<Item>(owner, 'POST', '/app/recordings');
    let samples = 0;
    const goOn = async (): Promise<void> => {
      const kept = (await ask<{ samples: number }>(owner, 'POST', `/app/recordings/${id}/sound?from=${samples}`, second)).samples;
      if (kept !== samples + 16_000) counts.lostSamples += samples + 16_000 - kept;
      samples = kept;
    };
    await goOn();
    const folders = ownFolders(dataDir);
    for (let at = 0; at < (isShort ? 2 : 6); at += 1) {
      const isInNamespace = noPidNamespace === undefined && at % 2 === 1;
      const isCommand = at > 1 && random() < 0.3;
      const start = startApp(dataDir, isCommand ? ['keys', 'list'] : ['serve', '--headless'], isInNamespace ? inOwnPidNamespace : []);
      all.push(start);
      await goOn();
      const isOwner = (await start.settled) === 'owner';
      const code = isOwner ? undefined : await start.ended;
      counts.starts += 1;
      if (isOwner) counts.owners += 1;
      if (isInNamespace) counts.nsStarts += 1;
      if (code !== 0) counts[isInNamespace ? 'nsFailures' : 'notHandedOver'] += 1;
      counts.lostFolders += folders.filter((name) => !existsSync(join(dataDir, 'tmp', name))).length;
      await goOn();
    }
    const { status } = await ask<{ status: string }>(owner, 'GET', '/health');
    if (status !== 'ok') counts.lostFolders += 1;
    await killAndTakeOver(owner, all, { dataDir, id, samples }, counts);
  } finally {
    for (const { child } of all) child.kill('SIGKILL');
    await Promise.all(all.map(({ ended }) => ended));
  }
}

/** Two start as the owner is killed: one of them takes over, ends the recording with all of it, and takes the other's request. */
async function killAndTakeOver(owner: Start, all: Start[], { dataDir, id, samples }: { dataDir: string; id: string; samples: number }, counts: Counts): Promise<void> {
  const begunMs = performance.now();
  owner.child.kill('SIGKILL');
  const heirs = [startApp(dataDir, ['serve', '--headless']), startApp(dataDir, ['serve', '--headless'])];
  all.push(...heirs);
  const roles = await Promise.all(heirs.map(({ settled }) => settled));
  counts.takeoverMs = Math.max(counts.takeoverMs, performance.now() - begunMs);
  counts.starts += 1;
  counts.owners += Math.abs(roles.filter((role) => role === 'owner').length - 1);
  const heir = heirs[roles.indexOf('owner')];
  if (heir === undefined) return;
  const item = await ask<Item>(heir, 'GET', `/app/items/${id}`);
  counts.lostSamples += Math.max(0, samples - Math.round(item.durationSec * 16_000));
}

const ownFolders = (dataDir: string): string[] => readdirSync(join(dataDir, 'tmp')).filter((name) => !name.endsWith('.lock'));

/** Each version of the library there ever was. */
async function openOldFolders(dir: string, { isShort }: EndureContext, counts: Counts): Promise<void> {
  for (let schema = isShort ? migrations.length - 1 : 1; schema < migrations.length; schema += 1) {
    const dataDir = join(dir, `schema-${schema}`);
    mkdirSync(join(dataDir, 'library'), { recursive: true });
    const old = new (loadSqlite().DatabaseSync)(libraryPath(dataDir));
    for (const step of migrations.slice(0, schema)) old.exec(step);
    old.exec(`PRAGMA user_version = ${schema}; PRAGMA journal_mode = WAL; INSERT INTO settings VALUES ('preferences', '{"theme":"dark"}')`);
    if (schema >= 2) {
      const insert = old.prepare("INSERT INTO items (id, kind, title, source, created_at_ms, changed_at_ms, duration_sec, size_bytes, state, progress, is_partial, language, channels, tags, has_media) VALUES (?, 'transcript', 'old', 'file', 1, 1, 0, 0, 'done', 1, 0, '', '[]', '[]', 0)");
      for (let at = 0; at < 20; at += 1) insert.run(at.toString(16).padStart(16, '0'));
    }
    old.close();
    const app = await startOwner(dataDir);
    try {
      const { theme } = await ask<{ theme: string }>(app, 'GET', '/app/preferences');
      const { items } = await ask<{ items: Item[] }>(app, 'GET', '/app/items');
      counts.oldLost += (theme === 'dark' ? 0 : 1) + (schema >= 2 ? 20 - items.length : 0);
    } finally {
      app.child.kill('SIGTERM');
      await app.ended;
    }
  }
}

/** Pages anywhere in the file are overwritten; what the copy has is there afterwards. */
async function damageLibraries(dir: string, { random, isShort }: EndureContext, counts: Counts): Promise<void> {
  for (let at = 0; at < (isShort ? 5 : 20); at += 1) {
    const dataDir = join(dir, `${at}`);
    mkdirSync(dataDir, { recursive: true });
    const library = openLibrary({ dataDir, isOwner: true, log: quietLog });
    const items = createItems(library.database, { dataDir });
    for (let item = 0; item < 30; item += 1) items.create({ kind: 'transcript', title: `item ${item}`, source: 'file', state: 'done' });
    copyLibrary(library.path, copyPath(dataDir, Date.now()));
    library.database.close();
    overwritePages(library.path, random);
    counts.damaged += 1;
    try {
      const mended = openLibrary({ dataDir, isOwner: true, log: quietLog });
      counts.lostItems += 30 - createItems(mended.database, { dataDir }).list().length;
      mended.database.close();
      if (at === 0) await serveDamaged(dataDir, random, counts);
    } catch {
      counts.notServed += 1;
    }
  }
}

/** The whole app, with the key of its owner. */
async function serveDamaged(dataDir: string, random: () => number, counts: Counts): Promise<void> {
  overwritePages(libraryPath(dataDir), random);
  const app = await startOwner(dataDir);
  try {
    await ask(app, 'GET', '/v1/models');
    const { items } = await ask<{ items: Item[] }>(app, 'GET', '/app/items');
    counts.lostItems += 30 - items.length;
  } finally {
    app.child.kill('SIGTERM');
    await app.ended;
  }
}

function overwritePages(path: string, random: () => number): void {
  const pageBytes = 4096;
  const pages = Math.floor(statSync(path).size / pageBytes);
  const file = openSync(path, 'r+');
  for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) {
    writeSync(file, Buffer.from(Array.from({ length: pageBytes }, () => Math.floor(random() * 256))), 0, pageBytes, Math.floor(random() * pages) * pageBytes);
  }
  closeSync(file);
}
