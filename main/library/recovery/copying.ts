// Makes a copy of the library each day, and as the app stops, in a child process, as long as the disk has room for it and
// there is something to keep.

import { extname, join } from "node:path";
import { runChildTask } from "../../processes/run-task.ts";
import type { Log } from "../../log.ts";
import type { Platform } from "../../platform.ts";
import {
  changedAtMs,
  copyPath,
  hasRoomForCopy,
  isEmpty,
  listCopies,
  removeOldCopies,
  removePartialCopies,
} from "./copies.ts";
import type { CopyOutcome, CopyTask } from "./copy-child.ts";

export type LibraryCopying = {
  /** Makes a copy now and then, where there is none of the day. */
  start(): void;
  /** @returns whether there is a copy of today now */
  copyIfDue(): Promise<boolean>;
  /** Ends what is under way. */
  close(): Promise<void>;
  /** Where the library changed since the newest copy, and the app ran for more than a moment; takes a few seconds at most. */
  copyAtStop(): Promise<void>;
};

export type LibraryCopyingDeps = Pick<Platform, "launchChild"> & {
  dataDir: string;
  libraryPath: string;
  /** The library could not be read in full. */
  onDamage(): void;
  log: Log;
  now?(): number;
};

/** The start of the app comes first; whoever uses it briefly gets a copy too. */
const firstAfterMs = 30_000;
/** The first copy is made soon after there is something to keep. */
const lookEveryMs = 60_000;
/** After a copy that could not be made. */
const pauseMs = 3_600_000;
/** Of a copy: one of 10 GB takes minutes. */
const timeLimitMs = 3_600_000;
/** And of the last one, which whoever stops the app waits for. */
const stopLimitMs = 3_000;
// As this file is: source, or what was made of it.
const childModule = join(import.meta.dirname, `copy-child${extname(import.meta.filename)}`);

export function createLibraryCopying({
  dataDir,
  libraryPath,
  launchChild,
  onDamage,
  log,
  now = Date.now,
}: LibraryCopyingDeps): LibraryCopying {
  const closing = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let underWay: Promise<boolean> | undefined;
  let notBeforeMs = 0;
  let hasRun = false;

  function hasCopyOfToday(): boolean {
    const newestMs = listCopies(dataDir)[0]?.madeAtMs;
    return (
      newestMs !== undefined && new Date(newestMs).toDateString() === new Date(now()).toDateString()
    );
  }

  function hasNothingToKeep(): boolean {
    try {
      return isEmpty(libraryPath);
    } catch {
      // The copying tells what is wrong with it.
      return false;
    }
  }

  async function copy(signal: AbortSignal, limitMs: number): Promise<boolean> {
    if (hasNothingToKeep()) return false;
    notBeforeMs = now() + pauseMs;
    removePartialCopies(dataDir);
    if (!hasRoomForCopy(dataDir, libraryPath)) {
      log.warn("no copy of the library was made: the disk has too little room for it");
      return false;
    }
    const task: CopyTask = { libraryPath, toPath: copyPath(dataDir, now()) };
    const { isDamaged } = (await runChildTask(
      (options) => launchChild(childModule, options),
      task,
      { signal, timeLimitMs: limitMs },
    )) as CopyOutcome;
    if (isDamaged) onDamage();
    else removeOldCopies(dataDir);
    return !isDamaged;
  }

  async function copyIfDue(): Promise<boolean> {
    try {
      if (hasCopyOfToday()) return true;
      underWay ??= copy(closing.signal, timeLimitMs).finally(() => (underWay = undefined));
      return await underWay;
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, "no copy of the library could be made");
      return false;
    }
  }

  function look(): void {
    hasRun = true;
    if (now() >= notBeforeMs) void copyIfDue();
  }

  return {
    start() {
      timers.push(setTimeout(look, firstAfterMs).unref(), setInterval(look, lookEveryMs).unref());
    },
    copyIfDue,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      closing.abort(new Error("the app closes"));
      await underWay?.catch(() => {});
    },
    async copyAtStop() {
      if (!hasRun) return;
      try {
        if (changedAtMs(libraryPath) > (listCopies(dataDir)[0]?.madeAtMs ?? 0))
          await copy(new AbortController().signal, stopLimitMs);
      } catch (error) {
        log.warn({ err: error }, "no copy of the library could be made at the end");
      }
    },
  };
}
