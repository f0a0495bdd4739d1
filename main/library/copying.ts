// Makes a copy of the library each day, in a child process, as long as the disk has room for it.

import { extname, join } from 'node:path';
import { runChildTask } from '../children/run-task.ts';
import type { Log } from '../log.ts';
import type { Platform } from '../platform.ts';
import { copyPath, hasRoomForCopy, listCopies, removeOldCopies, removePartialCopies } from './copies.ts';
import type { CopyOutcome, CopyTask } from './copy-child.ts';

export type LibraryCopying = {
  /** Makes a copy now and then, where there is none of the day. */
  start(): void;
  /** @returns whether there is a copy of today now */
  copyIfDue(): Promise<boolean>;
  close(): Promise<void>;
};

export type LibraryCopyingDeps = Pick<Platform, 'launchChild'> & {
  dataDir: string;
  libraryPath: string;
  /** The library could not be read in full. */
  onDamage(): void;
  log: Log;
  now?(): number;
};

/** The start of the app comes first; whoever uses it briefly gets a copy too. */
const firstAfterMs = 30_000;
const lookEveryMs = 3_600_000;
/** Of a copy: one of 10 GB takes minutes. */
const timeLimitMs = 3_600_000;
// As this file is: source, or what was made of it.
const childModule = join(import.meta.dirname, `copy-child${extname(import.meta.filename)}`);

export function createLibraryCopying({ dataDir, libraryPath, launchChild, onDamage, log, now = Date.now }: LibraryCopyingDeps): LibraryCopying {
  const closing = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let underWay: Promise<boolean> | undefined;

  async function copy(): Promise<boolean> {
    const nowMs = now();
    const newestMs = listCopies(dataDir)[0]?.madeAtMs;
    if (newestMs !== undefined && new Date(newestMs).toDateString() === new Date(nowMs).toDateString()) return true;
    removePartialCopies(dataDir);
    if (!hasRoomForCopy(dataDir, libraryPath)) {
      log.warn('no copy of the library was made: the disk has too little room for it');
      return false;
    }
    const task: CopyTask = { libraryPath, toPath: copyPath(dataDir, nowMs) };
    const { isDamaged, isMade } = (await runChildTask((options) => launchChild(childModule, options), task, { signal: closing.signal, timeLimitMs })) as CopyOutcome;
    if (isDamaged) {
      onDamage();
      return false;
    }
    if (isMade) removeOldCopies(dataDir);
    return isMade;
  }

  async function copyIfDue(): Promise<boolean> {
    try {
      underWay ??= copy().finally(() => (underWay = undefined));
      return await underWay;
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, 'no copy of the library could be made');
      return false;
    }
  }

  return {
    start() {
      timers.push(setTimeout(() => void copyIfDue(), firstAfterMs).unref(), setInterval(() => void copyIfDue(), lookEveryMs).unref());
    },
    copyIfDue,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      closing.abort(new Error('the app closes'));
      await underWay?.catch(() => {});
    },
  };
}
