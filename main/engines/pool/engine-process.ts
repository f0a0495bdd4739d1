// One child process of the pool: starts it, runs its tasks, detects crashes and hangs. task-scheduler.ts
// assigns tasks.

import { watchdogReason } from "../../processes/watchdog-state.ts";
import { AppError, restoreError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import { ChildLostError } from "./child-lost-error.ts";
import { isMediaTask } from "./media-tasks.ts";
import type { ChildMemory, ChildSetup, FromChild, TaskName, ToChild } from "./protocol.ts";

export type EngineProcess = {
  readonly port: ChildPort;
  /** As last reported by the child; zero before its first response. */
  memory(): ChildMemory;
  /** Rejects with ChildLostError, with AppError if the message may be shown to the caller, otherwise with Error. */
  run(name: TaskName, input: unknown, timeoutMs: number, signal: AbortSignal): Promise<unknown>;
  /** Makes the child discard the session's state. */
  closeSession(session: string): void;
  /** Resolves once the child accepts messages; rejects if it ended before. */
  readonly started: Promise<void>;
  /** Kills a child that was stopped (SIGSTOP) from outside. */
  terminateStopped(): void;
  /** Asks the child to exit, and kills it if it does not. */
  close(): Promise<void>;
  readonly exited: Promise<string>;
};

type RunningTask = {
  readonly name: TaskName;
  isStarted: boolean;
  resolve(value: unknown): void;
  reject(error: Error): void;
};

const startTimeoutMs = 30_000;
const closeTimeoutMs = 700;
const stoppedReason = "was stopped by another process";
/** Electron reports the signal number as the exit code. */
const externalSignalPattern = /^(ended by SIG(KILL|TERM|HUP|INT|QUIT)|exited with code (9|15))$/;

/**
 * @param launch starts the child module
 * @param onMemory called when the child reports its memory
 */
export function startEngineProcess(
  launch: () => ChildPort,
  log: Log,
  onMemory: () => void,
  setup: ChildSetup,
): EngineProcess {
  const port = launch();
  let memory: ChildMemory = { rssBytes: 0, models: {} };
  const running = new Map<number, RunningTask>();
  let lastId = 0;
  let closing = false;
  let reason = "";

  const started = Promise.withResolvers<void>();
  started.promise.catch(() => {});
  const startTimer = setTimeout(() => terminate("did not start in time"), startTimeoutMs);
  const exited = Promise.withResolvers<string>();

  function terminate(exitReason: string): void {
    reason ||= exitReason;
    port.kill();
  }

  port.onMessage((message) => {
    const response = message as FromChild;
    if (response.type === "ready") {
      clearTimeout(startTimer);
      port.send({ type: "setup", setup } satisfies ToChild);
      started.resolve();
      return;
    }
    if (response.type === "memory") {
      memory = response;
      onMemory();
      return;
    }
    const task = running.get(response.id);
    if (task === undefined) return;
    if (response.type === "started") {
      task.isStarted = true;
      return;
    }
    running.delete(response.id);
    settle(task, response);
  });

  port.onExit((exitDescription) => {
    clearTimeout(startTimer);
    const exitReason = reason || watchdogReason(port.stderrTail()) || exitDescription;
    if (!closing)
      log.warn(
        { pid: port.pid, why: exitReason, stderr: port.stderrTail() },
        "an engine process ended unexpectedly",
      );
    started.reject(new ChildLostError(exitReason));
    for (const task of running.values())
      task.reject(lossError(exitReason, port.stderrTail(), task));
    running.clear();
    exited.resolve(exitReason);
  });

  return {
    port,
    memory: () => memory,
    exited: exited.promise,
    async run(name, input, timeoutMs, signal) {
      await started.promise;
      signal.throwIfAborted();
      lastId += 1;
      const id = lastId;
      const response = Promise.withResolvers<unknown>();
      running.set(id, { name, isStarted: false, ...response });
      const timer = setTimeout(() => terminate(`hung in ${name} for ${timeoutMs} ms`), timeoutMs);
      const cancel = (): void => port.send({ type: "cancel", id } satisfies ToChild);
      signal.addEventListener("abort", cancel, { once: true });
      port.send({ type: "task", id, name, input } satisfies ToChild);
      try {
        return await response.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
      }
    },
    started: started.promise,
    terminateStopped: () => terminate(stoppedReason),
    closeSession: (session) => port.send({ type: "forget", session } satisfies ToChild),
    async close() {
      closing = true;
      port.send({ type: "close" } satisfies ToChild);
      const timer = setTimeout(() => port.kill(), closeTimeoutMs);
      await exited.promise;
      clearTimeout(timer);
    },
  };
}

function settle(
  { resolve, reject }: RunningTask,
  response: Extract<FromChild, { type: "done" | "failed" }>,
): void {
  if (response.type === "done") resolve(response.result);
  else reject(restoreError(response.error));
}

/** The child was killed from outside: its task is not the cause. */
const isExternalKill = (exitReason: string): boolean =>
  exitReason === stoppedReason || externalSignalPattern.test(exitReason);

/** If the watchdog ended the child because of a file, the file is refused and not retried on another child. */
function lossError(
  exitReason: string,
  stderrTail: string,
  { name, isStarted }: RunningTask,
): Error {
  const runningTask = isStarted && !isExternalKill(exitReason) ? name : undefined;
  const reason =
    runningTask !== undefined && isMediaTask(runningTask) ? watchdogReason(stderrTail) : undefined;
  if (reason === "memory") return new AppError("audio.tooMuchMemory", {}, { param: "file" });
  if (reason === "stalled") return new AppError("audio.stuck", {}, { param: "file" });
  return new ChildLostError(exitReason, runningTask);
}
