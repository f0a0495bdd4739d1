// Pool of engine child processes. Each request opens a job, whose tasks run on any child or on a pinned one.
// task-queues.ts orders the tasks, task-scheduler.ts assigns them, task-runs.ts runs them, pool-children.ts starts and
// ends the children.

import { randomUUID } from "node:crypto";
import { extname, join } from "node:path";
import type { EngineMemory } from "../../contract/speech.ts";
import type { Log } from "../../log.ts";
import type { Runtime } from "../model-runtime.ts";
import type { Pin } from "./pool-child.ts";
import { type ChildrenPolicy, createPoolChildren, type LaunchChild } from "./pool-children.ts";
import type { TaskInput, TaskName, TaskResult } from "./protocol.ts";
import { createPoolJob, type PoolJob } from "./pool-job.ts";
import { createTaskQueues, type TaskQueues } from "./task-queues.ts";
import { createTaskScheduler, type TaskScheduler } from "./task-scheduler.ts";

export type { PinnedChild } from "./task-runner.ts";
export type { PoolJob };

export type PoolPolicy = ChildrenPolicy & {
  /** A task that takes longer counts as hung. */
  taskTimeoutMs?: number;
};

/**
 * A task is one sentence or one minute of audio. It takes seconds, but longer if speech is decoded six times on a slow
 * machine.
 */
const defaultTaskTimeoutMs = 180_000;
/** Entry module of the engine processes. Same extension as this file: source (.ts) or build (.js). */
const entryModule = (room: "pool" | "sherpa"): string =>
  join(import.meta.dirname, "..", room, `child${extname(import.meta.filename)}`);
export const engineModules = {
  onnxruntime: entryModule("pool"),
  sherpa: entryModule("sherpa"),
} as const satisfies Record<Runtime, string>;

export type Pool = {
  readonly size: number;
  /** Aborting `signal` cancels the job's tasks, including running ones. */
  job(signal: AbortSignal): PoolJob;
  /** No process is free and no further one can be started: a new task would wait. */
  isBusy(): boolean;
  /** Ids of the running processes. */
  pids(): number[];
  memory(): EngineMemory;
  /** Frees a model that was removed or replaced: its processes end as soon as they are free. */
  unload(modelId: string): void;
  close(): Promise<void>;
};

/** @param onMemory called when the memory of the processes changed, see model-memory.ts */
export function createPool(
  launch: LaunchChild,
  policy: PoolPolicy,
  log: Log,
  onMemory: (memory: EngineMemory) => void = () => {},
): Pool {
  const children = createPoolChildren(launch, policy, log, onMemory);
  const queues = createTaskQueues();
  const scheduler = createTaskScheduler(
    children,
    queues,
    policy.taskTimeoutMs ?? defaultTaskTimeoutMs,
    log,
  );
  return {
    size: policy.size,
    job: (signal) => createJob(signal, queues, scheduler),
    // A child that is ending is gone in a moment, and whether another one fits is often known as soon. Neither is a
    // reason to use another channel.
    isBusy: () => children.allBusy() && children.isFull(),
    pids: children.pids,
    memory: children.memory,
    unload: children.retire,
    async close() {
      scheduler.close();
      await children.close();
    },
  };
}

function createJob(signal: AbortSignal, queues: TaskQueues, scheduler: TaskScheduler): PoolJob {
  const queue = queues.open();
  signal.addEventListener(
    "abort",
    () => scheduler.reject((queued) => queued.signal === signal, signal.reason),
    { once: true },
  );

  function submit<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    pin?: Pin,
    preferredSession?: string,
  ): Promise<TaskResult<Name>> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      scheduler.add({
        queue,
        name,
        input,
        signal,
        pin,
        preferredSession,
        attempts: 0,
        failures: 0,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
    });
  }

  return createPoolJob({
    run: (name, input, preferredSession) => submit(name, input, undefined, preferredSession),
    pin() {
      const pin: Pin = { session: randomUUID(), queue, child: undefined, lostReason: undefined };
      return {
        session: pin.session,
        run: (name, input) => submit(name, input, pin),
        release() {
          if (pin.child === undefined) return;
          pin.child.sessions.delete(pin.session);
          pin.child.process.closeSession(pin.session);
          pin.child = undefined;
          pin.lostReason = "released";
          scheduler.schedule();
        },
      };
    },
  });
}
