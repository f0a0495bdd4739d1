// One child process of the pool: starts it, gives it one task at a time, notices when it crashes or hangs.
// Which task it gets is pool.ts's matter.

import { AppError } from '../../contract/errors.ts';
import type { Log } from '../../log.ts';
import type { ChildPort } from '../../platform.ts';
import { ChildLost } from './child-lost.ts';
import type { ChildMemory, FromChild, TaskName, ToChild } from './protocol.ts';

export type EngineProcess = {
  readonly port: ChildPort;
  /** As it told it last; nothing before its first answer. */
  memory(): ChildMemory;
  /** Rejects with ChildLost, with AppError where the caller may know, with Error otherwise. */
  run(name: TaskName, input: unknown, limitMs: number, signal: AbortSignal): Promise<unknown>;
  /** The child drops what it keeps for a session. */
  forget(session: string): void;
  /** Asks the child to end, and ends it when it does not. */
  close(): Promise<void>;
  readonly exited: Promise<string>;
};

const startLimitMs = 30_000;
const closeLimitMs = 700;

/**
 * @param launch starts the child module
 * @param onMemory called when it tells what it holds
 */
export function startEngineProcess(launch: () => ChildPort, log: Log, onMemory: () => void): EngineProcess {
  const port = launch();
  let memory: ChildMemory = { rssBytes: 0, models: {} };
  let running: { id: number; name: TaskName; begun: boolean; resolve(value: unknown): void; reject(error: Error): void } | undefined;
  let lastId = 0;
  let closing = false;
  let reason = '';

  const started = Promise.withResolvers<void>();
  started.promise.catch(() => {});
  const startTimer = setTimeout(() => lose('did not start in time'), startLimitMs);
  const exited = Promise.withResolvers<string>();

  function lose(why: string): void {
    reason ||= why;
    port.kill();
  }

  port.onMessage((message) => {
    const answer = message as FromChild;
    if (answer.type === 'ready') {
      clearTimeout(startTimer);
      started.resolve();
      return;
    }
    if (answer.type === 'memory') {
      memory = answer;
      onMemory();
      return;
    }
    if (running === undefined || running.id !== answer.id) return;
    if (answer.type === 'taken') {
      running.begun = true;
      return;
    }
    const { resolve, reject } = running;
    running = undefined;
    if (answer.type === 'done') resolve(answer.result);
    else if (answer.key === undefined) reject(new Error(answer.message));
    else reject(new AppError(answer.key, answer.message, answer.param === undefined ? {} : { param: answer.param }));
  });

  port.onExit((how) => {
    clearTimeout(startTimer);
    const why = reason || how;
    if (!closing) log.warn({ pid: port.pid, why, stderr: port.stderrTail() }, 'an engine process ended unexpectedly');
    started.reject(new ChildLost(why));
    running?.reject(new ChildLost(why, running.begun ? running.name : undefined));
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
      const cancel = (): void => port.send({ type: 'cancel', id } satisfies ToChild);
      signal.addEventListener('abort', cancel, { once: true });
      port.send({ type: 'task', id, name, input } satisfies ToChild);
      try {
        return await answer.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
      }
    },
    forget: (session) => port.send({ type: 'forget', session } satisfies ToChild),
    async close() {
      closing = true;
      port.send({ type: 'close' } satisfies ToChild);
      const timer = setTimeout(() => port.kill(), closeLimitMs);
      await exited.promise;
      clearTimeout(timer);
    },
  };
}
