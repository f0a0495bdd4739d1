// Opens a library that could not be opened at the start: a child process prepares the file, again and again until it
// succeeds.

import { extname, join } from "node:path";
import type { Log } from "../../log.ts";
import type { Platform } from "../../platform.ts";
import { runChildTask } from "../../processes/run-task.ts";
import type { OpeningState } from "./open-as-owner.ts";
import type { OpeningProgress, OpeningTask } from "./opening-child.ts";

export type BackgroundOpeningOptions = Pick<Platform, "launchChild"> & {
  dataDir: string;
  /** Path of the library file. */
  path: string;
  /** State of the attempt at the start. */
  state: OpeningState;
  log: Log;
  now(): number;
  /** Before the first attempt; doubles after each. */
  firstRetryMs: number;
  /** Opens the prepared file. If it throws, everything is tried again. */
  openPrepared(): void;
  onOpened(): void;
};

const maxRetryMs = 8_000;
/** Restoring a library of 10 GB takes minutes. */
const timeLimitMs = 3_600_000;
// Same extension as this file: source (.ts) or build (.js).
const childModule = join(import.meta.dirname, `opening-child${extname(import.meta.filename)}`);

export function openInBackground({
  dataDir,
  path,
  state: firstState,
  launchChild,
  log,
  now,
  firstRetryMs,
  openPrepared,
  onOpened,
}: BackgroundOpeningOptions): { close(): void } {
  const closing = new AbortController();
  let state = firstState;
  let retryTimer: NodeJS.Timeout;

  async function prepare(): Promise<void> {
    const task: OpeningTask = { dataDir, path, atMs: now(), state };
    await runChildTask((options) => launchChild(childModule, options), task, {
      signal: closing.signal,
      timeLimitMs,
      onProgress(raw) {
        const progress = raw as OpeningProgress;
        if ("state" in progress) state = progress.state;
        else log[progress.level](progress.fields, progress.message);
      },
    });
  }

  async function tryOpening(retryDelayMs: number): Promise<void> {
    try {
      await prepare();
      if (closing.signal.aborted) return;
      openPrepared();
    } catch (error) {
      if (closing.signal.aborted) return;
      log.debug({ err: error }, "the library still cannot be opened");
      schedule(Math.min(maxRetryMs, retryDelayMs * 2));
      return;
    }
    log.warn("the library could be opened");
    onOpened();
  }

  function schedule(delayMs: number): void {
    retryTimer = setTimeout(() => void tryOpening(delayMs), delayMs).unref();
  }

  schedule(firstRetryMs);
  return {
    close() {
      clearTimeout(retryTimer);
      closing.abort(new Error("the library is closed"));
    },
  };
}
