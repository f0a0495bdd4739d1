// The library's process, as the app sees it: started for the first task, ended when there was none for a while, so that
// its memory is held only while it is of use.

import { statSync } from "node:fs";
import { extname, join } from "node:path";
import { watchStopped } from "../../processes/stopped-watch.ts";
import { AppError } from "../../contract/errors.ts";
import type { LibraryTask, LibraryTasksElsewhere } from "../library-tasks.ts";
import type { ChildPort } from "../../platform.ts";
import { beforeWrite } from "../../storage/disk.ts";
import type { FromChild, ToChild } from "./messages.ts";
import type { OnDocument } from "./tasks.ts";

export type LibraryProcess = {
  readonly tasks: LibraryTasksElsewhere;
  isRunning(): boolean;
  /** Ends what is under way as a whole or not at all, and gives up what takes long. */
  close(): Promise<void>;
};

export type LibraryProcessDeps = {
  /** Of the library's file, which exists. */
  path: string;
  launchChild(modulePath: string, options: { maxHeapMb: number }): ChildPort;
  onDocument: OnDocument;
  /** Something in the file could not be read. */
  onDamage(error: unknown): void;
  idleMs?: number;
  /** A process that answers nothing for so long is stuck. */
  stallMs?: number;
  closeLimitMs?: number;
};

/** Starting it takes as long as many searches. */
const defaultIdleMs = 60_000;
const defaultStallMs = 180_000;
const defaultCloseLimitMs = 5_000;
const maxLogBytes = 4 * 2 ** 20;
const lookEveryMs = 10_000;
/** Of V8: a task that needs more fails, and the app goes on. */
const maxHeapMb = 1024;
// As this file is: source, or what was made of it.
const childModule = join(import.meta.dirname, `child${extname(import.meta.filename)}`);

type TaskKind = {
  readonly writes: boolean;
  /** Doing it twice is the same as doing it once. */ readonly isRepeatable: boolean;
};
const reading: TaskKind = { writes: false, isRepeatable: true };
const repeatable: TaskKind = { writes: true, isRepeatable: true };
const once: TaskKind = { writes: true, isRepeatable: false };

const kinds: Readonly<Record<LibraryTask, TaskKind>> = {
  search: reading,
  readDocument: reading,
  exportTranscript: reading,
  exportNarration: reading,
  checkpoint: reading,
  bringBack: repeatable,
  addWork: repeatable,
  dropWork: repeatable,
  dropItem: repeatable,
  replace: once,
  changeDocument: once,
  changeNarration: once,
};

type Asked = PromiseWithResolvers<unknown>;

/** The process ended before it answered: what it was to do is done as a whole or not at all. */
class ProcessLost extends AppError {
  constructor(why: string) {
    super(
      "storage_unavailable",
      "The library was interrupted while it did this. Look whether it was done, and try again if not.",
      { cause: new Error(`the library's process ${why}`), retryAfterSec: 1 },
    );
  }
}

export function createLibraryProcess({
  path,
  launchChild,
  onDocument,
  onDamage,
  idleMs = defaultIdleMs,
  stallMs = defaultStallMs,
  closeLimitMs = defaultCloseLimitMs,
}: LibraryProcessDeps): LibraryProcess {
  const asked = new Map<number, Asked>();
  let child: ChildPort | undefined;
  let idle: NodeJS.Timeout | undefined;
  let stall: NodeJS.Timeout | undefined;
  let count = 0;
  let isClosed = false;
  const looking = setInterval(() => {
    // A log that could not be emptied, since somebody reads, is found again.
    if (sizeOf(`${path}-wal`) > maxLogBytes) run("checkpoint", []).catch(() => {});
  }, lookEveryMs).unref();

  const stoppedWatch = watchStopped(
    () => (child === undefined || asked.size === 0 ? [] : [child]),
    () => end("was stopped by another process"),
  );

  /** What it was asked fails. */
  function end(why: string): void {
    clearTimeout(idle);
    clearTimeout(stall);
    const ended = child;
    child = undefined;
    ended?.kill();
    const lost = Array.from(asked.values());
    asked.clear();
    for (const { reject } of lost) reject(new ProcessLost(why));
  }

  function start(): ChildPort {
    const started = launchChild(childModule, { maxHeapMb });
    started.onMessage((message) => take(message as FromChild, started));
    started.onExit((how) => {
      if (child === started) end(`${how}: ${started.stderrTail()}`);
    });
    return started;
  }

  function take(message: FromChild, from: ChildPort): void {
    if (message.type === "document") return onDocument(message.itemId, message.revision);
    if (message.type === "damage") return onDamage(new Error(message.message));
    if (from !== child) return;
    const { resolve, reject } = asked.get(message.id) ?? {};
    asked.delete(message.id);
    if (message.type === "done") resolve?.(message.result);
    else reject?.(failure(message));
    clearTimeout(idle);
    clearTimeout(stall);
    if (asked.size > 0) waitForAnswer();
    else idle = setTimeout(() => end("had nothing to do"), idleMs).unref();
  }

  function waitForAnswer(): void {
    stall = setTimeout(() => end(`answered nothing for ${stallMs} ms`), stallMs);
  }

  async function run(task: LibraryTask, args: readonly unknown[]): Promise<unknown> {
    if (isClosed) throw new AppError("closing", "Hearsay is shutting down.");
    if (kinds[task].writes) beforeWrite("database");
    clearTimeout(idle);
    child ??= start();
    if (asked.size === 0) waitForAnswer();
    const id = (count += 1);
    const answer = Promise.withResolvers<unknown>();
    asked.set(id, answer);
    child.send({ path, id, task, args } satisfies ToChild);
    return answer.promise;
  }

  async function runAgainWhereLost(task: LibraryTask, args: readonly unknown[]): Promise<unknown> {
    try {
      return await run(task, args);
    } catch (error) {
      if (!(error instanceof ProcessLost && kinds[task].isRepeatable)) throw error;
      return run(task, args);
    }
  }

  return {
    tasks: tasksBy(runAgainWhereLost),
    isRunning: () => child !== undefined,
    async close() {
      isClosed = true;
      clearInterval(looking);
      const late = setTimeout(() => end("did not finish before the app closed"), closeLimitMs);
      await Promise.allSettled(Array.from(asked.values(), ({ promise }) => promise));
      clearTimeout(late);
      stoppedWatch.close();
      end("was closed");
    },
  };
}

type RunTask = (task: LibraryTask, args: readonly unknown[]) => Promise<unknown>;

const tasksBy = (run: RunTask): LibraryTasksElsewhere =>
  Object.fromEntries(
    Object.keys(kinds).map((task) => [
      task,
      (...args: unknown[]) => run(task as LibraryTask, args),
    ]),
  ) as LibraryTasksElsewhere;

/** Each call goes to those that are current then. */
export const currentTasks = (current: () => LibraryTasksElsewhere): LibraryTasksElsewhere =>
  tasksBy((task, args) =>
    (current()[task] as (...args: readonly unknown[]) => Promise<unknown>)(...args),
  );

/** 0 also where the disk does not tell. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function failure({
  message,
  key,
  param,
  retryAfterSec,
}: Extract<FromChild, { type: "failed" }>): Error {
  if (key === undefined) return new Error(message);
  return new AppError(key, message, {
    ...(param === undefined ? {} : { param }),
    ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
  });
}
