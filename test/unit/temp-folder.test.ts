import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTempFolder } from '../../main/temp-folder.ts';
import { awkwardFolder } from '../support/test-data.ts';

/** The id of a process that is gone. */
const goneId = (): number => spawnSync(process.execPath, ['-e', '']).pid;

it('is a folder of its own and takes everything with it', async () => {
  const dataDir = await awkwardFolder();
  const first = createTempFolder(dataDir);
  const second = createTempFolder(dataDir);
  expect(first.path).not.toBe(second.path);
  mkdirSync(join(first.path, 'job'));
  writeFileSync(join(first.path, 'job', 'samples.pcm'), 'x');
  first.remove();
  expect([existsSync(first.path), existsSync(second.path)]).toEqual([false, true]);
});

it('sweeps away what a killed process left, and nothing else', async () => {
  const dataDir = await awkwardFolder();
  const left = join(dataDir, 'tmp', `${goneId()}-abc`);
  const alive = join(dataDir, 'tmp', `${process.ppid}-abc`);
  const foreign = join(dataDir, 'tmp', 'notes');
  for (const path of [left, alive, foreign]) mkdirSync(join(path, 'deep'), { recursive: true });
  createTempFolder(dataDir);
  expect([left, alive, foreign].map((path) => existsSync(path))).toEqual([false, true, true]);
});

it('sweeps away what an earlier process with the same id left, as in a container', async () => {
  const dataDir = await awkwardFolder();
  const left = join(dataDir, 'tmp', `${process.pid}-abc`);
  mkdirSync(left, { recursive: true });
  utimesSync(left, 1_000_000_000, 1_000_000_000);
  createTempFolder(dataDir);
  expect(existsSync(left)).toBe(false);
});
