// One child process of the pool: starts it, gives it one task at a time, notices when it crashes or hangs. See
// pool.ts for which task it gets.

import { watchdogReason } from "../../processes/watchdog-state.ts";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import { ChildLost } from "./child-lost.ts";
import { isMediaTask } from "./media-tasks.ts";
import type { ChildMemory, FromChild, MediaLimits, TaskName, ToChild } from "./protocol.ts";

export type EngineProcess = {
  readonly port: ChildPort;
  /** As it told it last; nothing before its first answer. */
  memory(): ChildMemory;
  /** Rejects with ChildLost, with AppError where the caller may know, with Error otherwise. */
  run(name: TaskName, input: unknown, limitMs: number, signal: AbortSignal): Promise<unknown>;
  /** The child drops what it keeps for a session. */
  forget(session: string): void;
  /** Resolves once it may be sent something, rejects where it never got so far. */
  readonly started: Promise<void>;
  /** Ends a child that was stopped from outside. */
  loseStopped(): void;
  /** Asks the child to end, and ends it when it does not. */
  close(): Promise<void>;
  readonly exited: Promise<string>;
};

const startLimitMs = 30_000;
const closeLimitMs = 700;
const stoppedReason = "was stopped by another process";
/** Electron tells the signal as the exit code. */
const signalledFromOutside = /^(ended by SIG(KILL|TERM|HUP|INT|QUIT)|exited with code (9|15))$/;

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
        begun: boolean;
        resolve(value: unknown): void;
        reject(error: Error): void;
      }
    | undefined;
  let lastId = 0;
  let closing = false;
  let reason = "";

  const started = Promise.withResolvers<void>();
  started.promise.catch(() => {});
  const startTimer = setTimeout(() => lose("did not start in time"), startLimitMs);
  const exited = Promise.withResolvers<string>();

  function lose(why: string): void {
    reason ||= why;
    port.kill();
  }

  port.onMessage((message) => {
    const answer = message as FromChild;
    if (answer.type === "ready") {
      clearTimeout(startTimer);
      if (limits !== undefined) port.send({ type: "limits", limits } satisfies ToChild);
      started.resolve();
      return;
    }
    if (answer.type === "memory") {
      memory = answer;
      onMemory();
      return;
    }
    if (running === undefined || running.id !== answer.id) return;
    if (answer.type === "taken") {
      running.begun = true;
      return;
    }
    const { resolve, reject } = running;
    running = undefined;
    if (answer.type === "done") resolve(answer.result);
    else if (answer.key === undefined) reject(new Error(answer.message));
    else
      reject(
        new AppError(
          answer.key,
          answer.message,
          answer.param === undefined ? {} : { param: answer.param },
        ),
      );
  });

  port.onExit((how) => {
    clearTimeout(startTimer);
    const why = reason || watchdogReason(port.stderrTail()) || how;
    if (!closing)
      log.warn(
        { pid: port.pid, why, stderr: port.stderrTail() },
        "an engine process ended unexpectedly",
      );
    started.reject(new ChildLost(why));
    running?.reject(
      lostOver(
        why,
        port.stderrTail(),
        running.begun && !isFromOutside(why) ? running.name : undefined,
      ),
    );
    running = undefined;
    exited.resolve(why);
  });

  return {
    port,
    memory: () => memory,
    exited: exited.promise,
    async run(name, input, limitMs, signal) {
      await started.promise;
      signal.throwIfAborted();
      lastId += 1;
      const id = lastId;
      const answer = Promise.withResolvers<unknown>();
      running = { id, name, begun: false, resolve: answer.resolve, reject: answer.reject };
      const timer = setTimeout(() => lose(`hung in ${name} for ${limitMs} ms`), limitMs);
      const cancel = (): void => port.send({ type: "cancel", id } satisfies ToChild);
      signal.addEventListener("abort", cancel, { once: true });
      port.send({ type: "task", id, name, input } satisfies ToChild);
      try {
        return await answer.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
      }
    },
    started: started.promise,
    loseStopped: () => lose(stoppedReason),
    forget: (session) => port.send({ type: "forget", session } satisfies ToChild),
    async close() {
      closing = true;
      port.send({ type: "close" } satisfies ToChild);
      const timer = setTimeout(() => port.kill(), closeLimitMs);
      await exited.promise;
      clearTimeout(timer);
    },
  };
}

/** What the child was doing has nothing to do with its end. */
const isFromOutside = (why: string): boolean =>
  why === stoppedReason || signalledFromOutside.test(why);

/** A file that a child was ended over by its watchdog is refused, and not given to another child. */
function lostOver(why: string, stderrTail: string, during: TaskName | undefined): Error {
  const reason =
    during !== undefined && isMediaTask(during) ? watchdogReason(stderrTail) : undefined;
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
  return new ChildLost(why, during);
}
