// Parent side of the library's child process. Started for the first task and stopped when idle, to free its memory.

import { extname, join } from "node:path";
import { watchStoppedProcesses } from "../../processes/stopped-process-watcher.ts";
import { AppError, restoreError } from "../../contract/errors.ts";
import type { LibraryTask, AsyncLibraryTasks } from "../library-tasks.ts";
import type { ChildPort } from "../../platform.ts";
import { beforeWrite } from "../../storage/disk.ts";
import { watchLogSize } from "./checkpoints.ts";
import type { FromChild, ToChild } from "./messages.ts";
import { taskKinds } from "./task-kinds.ts";
import type { OnDocument } from "./tasks.ts";

export type LibraryProcess = {
  readonly tasks: AsyncLibraryTasks;
  isRunning(): boolean;
  /** Waits for pending tasks up to a timeout, then kills the process. Each task is complete or has no effect. */
  close(): Promise<void>;
};

export type LibraryProcessDeps = {
  /** Path of the library file, which must exist. */
  path: string;
  launchChild(modulePath: string, options: { maxHeapMb: number }): ChildPort;
  onDocument: OnDocument;
  /** Called when a part of the file could not be read. */
  onDamage(error: unknown): void;
  idleMs?: number;
  /** A process that sends no message for this long while tasks are pending is killed. */
  stallMs?: number;
  closeTimeoutMs?: number;
};

/** Long, since starting the process takes as long as many searches. */
const defaultIdleMs = 60_000;
const defaultStallMs = 180_000;
const defaultCloseTimeoutMs = 5_000;
/** V8 heap limit: a task that needs more fails, and the app goes on. */
const maxHeapMb = 1024;
// Same extension as this file: source (.ts) or build (.js).
const childModule = join(import.meta.dirname, `child${extname(import.meta.filename)}`);

type PendingTask = PromiseWithResolvers<unknown>;

/** The process ended before it responded: the task is either complete or had no effect. */
class LibraryProcessLost extends AppError<"library.interrupted"> {
  constructor(reason: string) {
    super(
      "library.interrupted",
      {},
      { cause: new Error(`the library's process ${reason}`), retryAfterSec: 1 },
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
  closeTimeoutMs = defaultCloseTimeoutMs,
}: LibraryProcessDeps): LibraryProcess {
  const pendingTasks = new Map<number, PendingTask>();
  let child: ChildPort | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let stallTimer: NodeJS.Timeout | undefined;
  let lastTaskId = 0;
  let isClosed = false;

  const logSizeWatcher = watchLogSize(path, () => run("checkpoint", []));
  const stoppedWatcher = watchStoppedProcesses(
    () => (child === undefined || pendingTasks.size === 0 ? [] : [child]),
    () => endProcess("was stopped by another process"),
  );

  /** Pending tasks fail. */
  function endProcess(reason: string): void {
    clearTimeout(idleTimer);
    clearTimeout(stallTimer);
    const previousChild = child;
    child = undefined;
    previousChild?.kill();
    const lostTasks = Array.from(pendingTasks.values());
    pendingTasks.clear();
    for (const { reject } of lostTasks) reject(new LibraryProcessLost(reason));
  }

  function start(): ChildPort {
    const started = launchChild(childModule, { maxHeapMb });
    started.onMessage((message) => handleMessage(message as FromChild, started));
    started.onExit((exitReason) => {
      if (child === started) endProcess(`${exitReason}: ${started.stderrTail()}`);
    });
    return started;
  }

  function handleMessage(message: FromChild, from: ChildPort): void {
    if (message.type === "document") return onDocument(message.itemId, message.revision);
    if (message.type === "damage") return onDamage(new Error(message.message));
    if (from !== child) return;
    const { resolve, reject } = pendingTasks.get(message.id) ?? {};
    pendingTasks.delete(message.id);
    if (message.type === "done") resolve?.(message.result);
    else reject?.(restoreError(message.error));
    clearTimeout(idleTimer);
    clearTimeout(stallTimer);
    if (pendingTasks.size > 0) startStallTimer();
    else idleTimer = setTimeout(() => endProcess("had nothing to do"), idleMs).unref();
  }

  function startStallTimer(): void {
    stallTimer = setTimeout(() => endProcess(`answered nothing for ${stallMs} ms`), stallMs);
  }

  async function run(task: LibraryTask, args: readonly unknown[]): Promise<unknown> {
    if (isClosed) throw new AppError("closing");
    if (taskKinds[task].writes) beforeWrite("database");
    clearTimeout(idleTimer);
    child ??= start();
    if (pendingTasks.size === 0) startStallTimer();
    const id = (lastTaskId += 1);
    const result = Promise.withResolvers<unknown>();
    pendingTasks.set(id, result);
    child.send({ path, id, task, args } satisfies ToChild);
    return result.promise;
  }

  async function runWithRetry(task: LibraryTask, args: readonly unknown[]): Promise<unknown> {
    try {
      return await run(task, args);
    } catch (error) {
      if (!(error instanceof LibraryProcessLost && taskKinds[task].isRepeatable)) throw error;
      return run(task, args);
    }
  }

  return {
    tasks: createTasks(runWithRetry),
    isRunning: () => child !== undefined,
    async close() {
      isClosed = true;
      logSizeWatcher.close();
      const closeTimer = setTimeout(
        () => endProcess("did not finish before the app closed"),
        closeTimeoutMs,
      );
      await Promise.allSettled(Array.from(pendingTasks.values(), ({ promise }) => promise));
      clearTimeout(closeTimer);
      stoppedWatcher.close();
      endProcess("was closed");
    },
  };
}

type RunTask = (task: LibraryTask, args: readonly unknown[]) => Promise<unknown>;

const createTasks = (run: RunTask): AsyncLibraryTasks =>
  Object.fromEntries(
    Object.keys(taskKinds).map((task) => [
      task,
      (...args: unknown[]) => run(task as LibraryTask, args),
    ]),
  ) as AsyncLibraryTasks;

/** Each call goes to the current tasks object, which may be replaced. */
export const delegateTasks = (current: () => AsyncLibraryTasks): AsyncLibraryTasks =>
  createTasks((task, args) =>
    (current()[task] as (...args: readonly unknown[]) => Promise<unknown>)(...args),
  );
