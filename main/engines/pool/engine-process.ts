// One child process of the pool: starts it, gives it one task at a time, notices when it crashes or hangs. See
// pool.ts for which task it gets.

import { watchdogReason } from "../../processes/watchdog-state.ts";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import { ChildLostError } from "./child-lost-error.ts";
import { isMediaTask } from "./media-tasks.ts";
import type { ChildMemory, FromChild, MediaLimits, TaskName, ToChild } from "./protocol.ts";

export type EngineProcess = {
  readonly port: ChildPort;
  /** As it told it last; nothing before its first answer. */
  memory(): ChildMemory;
  /** Rejects with ChildLost, with AppError where the caller may know, with Error otherwise. */
  run(name: TaskName, input: unknown, timeoutMs: number, signal: AbortSignal): Promise<unknown>;
  /** The child drops what it keeps for a session. */
  closeSession(session: string): void;
  /** Resolves once it may be sent something, rejects where it never got so far. */
  readonly started: Promise<void>;
  /** Ends a child that was stopped from outside. */
  terminateStopped(): void;
  /** Asks the child to end, and ends it when it does not. */
  close(): Promise<void>;
  readonly exited: Promise<string>;
};

const startTimeoutMs = 30_000;
const closeTimeoutMs = 700;
const stoppedReason = "was stopped by another process";
/** Electron tells the signal as the exit code. */
const externalSignalPattern = /^(ended by SIG(KILL|TERM|HUP|INT|QUIT)|exited with code (9|15))$/;

/**
 * @param launch starts the child module
 * @param onMemory called when it tells what it holds
 * @param limits of media; default the child's own
 */
export function startEngineProcess(
  launch: () => ChildPort,
  log: Log,
  onMemory: () => void,
  limits?: MediaLimits,
): EngineProcess {
  const port = launch();
  let memory: ChildMemory = { rssBytes: 0, models: {} };
  let running:
    | {
        id: number;
        name: TaskName;
        isStarted: boolean;
        resolve(value: unknown): void;
        reject(error: Error): void;
      }
    | undefined;
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
      if (limits !== undefined) port.send({ type: "limits", limits } satisfies ToChild);
      started.resolve();
      return;
    }
    if (response.type === "memory") {
      memory = response;
      onMemory();
      return;
    }
    if (running === undefined || running.id !== response.id) return;
    if (response.type === "started") {
      running.isStarted = true;
      return;
    }
    const { resolve, reject } = running;
    running = undefined;
    if (response.type === "done") resolve(response.result);
    else if (response.key === undefined) reject(new Error(response.message));
    else
      reject(
        new AppError(
          response.key,
          response.message,
          response.param === undefined ? {} : { param: response.param },
        ),
      );
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
    running?.reject(
      lossError(
        exitReason,
        port.stderrTail(),
        running.isStarted && !isExternalKill(exitReason) ? running.name : undefined,
      ),
    );
    running = undefined;
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
      running = { id, name, isStarted: false, resolve: response.resolve, reject: response.reject };
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

/** What the child was doing has nothing to do with its end. */
const isExternalKill = (exitReason: string): boolean =>
  exitReason === stoppedReason || externalSignalPattern.test(exitReason);

/** A file that a child was ended over by its watchdog is refused, and not given to another child. */
function lossError(
  exitReason: string,
  stderrTail: string,
  runningTask: TaskName | undefined,
): Error {
  const reason =
    runningTask !== undefined && isMediaTask(runningTask) ? watchdogReason(stderrTail) : undefined;
  if (reason === "memory")
    return new AppError(
      "undecodable_audio",
      "The audio file could not be decoded: it takes far more memory than sound needs.",
      { param: "file" },
    );
  if (reason === "stalled")
    return new AppError(
      "undecodable_audio",
      "The audio file could not be decoded: decoding it got stuck.",
      { param: "file" },
    );
  return new ChildLostError(exitReason, runningTask);
}
