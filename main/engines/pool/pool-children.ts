// The pool's child processes: starts them within the limits, and ends idle ones (idle-ending.ts). task-scheduler.ts
// decides what they run.

import { tmpdir } from "node:os";
import type { EngineMemory } from "../../contract/speech.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import {
  type StoppedProcessWatcher,
  watchStoppedProcesses,
} from "../../processes/stopped-process-watcher.ts";
import { startEngineProcess } from "./engine-process.ts";
import { createIdleEnding } from "./idle-ending.ts";
import { createMemoryLimit } from "./memory-limit.ts";
import { createModelMemory } from "./model-memory.ts";
import { createMemoryPlan, type MemoryPlan } from "./memory-plan.ts";
import { type Child, createChild, isFree } from "./pool-child.ts";
import type { ChildSetup, MediaLimits, TaskInput, TaskName } from "./protocol.ts";
import type { Runtime } from "../model-runtime.ts";
import { largeModelOf, taskModel } from "./task-model.ts";

export type ChildrenPolicy = {
  /** Maximum number of child processes that compute: of those of one runtime, with the busy ones of the other. */
  size: number;
  /** An idle child is ended after this time. */
  idleMs: number;
  /** Limits for untrusted media; default: the children's own limits. */
  mediaLimits?: MediaLimits;
  /** Limit for all child processes together; default: none. One process works regardless of its size. */
  memoryLimitBytes?: number;
  /** Folder for what engines need besides models; default: the system's temporary folder. */
  supportDir?: string;
  /** Memory that the system can give; default: as it says. */
  availableBytes?: () => number;
};

/** Starts a child process that runs the models of a runtime. */
export type LaunchChild = (runtime: Runtime) => ChildPort;

export type PoolChildren = {
  readonly memoryPlan: MemoryPlan;
  add(runtime: Runtime): Child;
  /** Whether one more fits; free ones that cannot do its work leave if they are too many. */
  makeRoom(runtime: Runtime): boolean;
  /** The child that alone may hold the large model. */
  holding(modelId: string): Child | undefined;
  /** Those without a task and without a session. */
  free(): Child[];
  end(child: Child): void;
  /** Children were asked to exit: their memory will be free. */
  isOneEnding(): boolean;
  /** Ends the children that hold the model, as soon as they are free. */
  retire(modelId: string): void;
  /** Call once the child has exited. */
  remove(child: Child): void;
  /** Those without a running task. */
  idle(): Child[];
  /** The child that keeps the session. */
  withSession(session: string): Child | undefined;
  markBusy(child: Child): void;
  /** Call after a task of the child succeeded. */
  recordUsage(child: Child, input: TaskInput<TaskName>): void;
  /**
   * Ends idle children, now or after some time.
   * @param isOneNeeded a task waits for a child, so even the last one may be replaced by a smaller one
   */
  endIdle(isOneNeeded: boolean): void;
  allBusy(): boolean;
  /** No further one may be started for media or a small model of this app. */
  isFull(): boolean;
  pids(): number[];
  memory(): EngineMemory;
  close(): Promise<void>;
};

/** @param onMemory called when the memory of the processes changed, see model-memory.ts */
export function createPoolChildren(
  launch: LaunchChild,
  policy: ChildrenPolicy,
  log: Log,
  onMemory: (memory: EngineMemory) => void,
): PoolChildren {
  const children = new Set<Child>();
  /** Asked to exit, but still running. */
  const endingChildren = new Set<Child>();
  const setup = toSetup(policy);
  const memoryLimit = createMemoryLimit(policy.memoryLimitBytes ?? Infinity);
  const memory = createModelMemory(() => Array.from(children, (child) => child.memory()), onMemory);
  const memoryPlan = createMemoryPlan({
    availableBytes: policy.availableBytes ?? (() => process.availableMemory()),
    limitBytes: policy.memoryLimitBytes ?? Infinity,
    heldBytes: () => memory.snapshot().bytes,
    measuredBytes: (id) => memory.snapshot().models.get(id)?.bytes,
  });
  const ending = createIdleEnding({ children, memoryLimit, idleMs: policy.idleMs, end });
  const stoppedWatch = watchStopped(children);

  function end(child: Child): void {
    clearTimeout(child.idleTimer);
    children.delete(child);
    endingChildren.add(child);
    void child.process.close();
  }

  return {
    memoryPlan,
    add(runtime) {
      const process = startEngineProcess(() => launch(runtime), log, memory.update, setup);
      const child = createChild(runtime, process);
      children.add(child);
      return child;
    },
    makeRoom(runtime) {
      const byLastUse = [...children].sort((one, other) => one.usedAtMs - other.usedAtMs);
      for (const child of byLastUse)
        // A free child of this runtime was not given the task because it holds another large model.
        if (
          isFree(child) &&
          countComputing(children) >= policy.size &&
          (child.runtime !== runtime || child.largeModels.size > 0)
        )
          end(child);
      return (
        countComputing(children) < policy.size &&
        memoryLimit.canAdd(children.size + endingChildren.size) === true
      );
    },
    holding: (modelId) => [...children].find(({ largeModels }) => largeModels.has(modelId)),
    free: ending.freeLargestFirst,
    end,
    isOneEnding: () => endingChildren.size > 0,
    retire(modelId) {
      for (const child of children) {
        if (!Object.hasOwn(child.memory().models, modelId) && !child.largeModels.has(modelId))
          continue;
        child.isRetired = true;
        if (isFree(child)) end(child);
      }
    },
    remove(child) {
      clearTimeout(child.idleTimer);
      children.delete(child);
      endingChildren.delete(child);
      memory.update();
    },
    idle: () => [...children].filter(({ busy }) => !busy),
    withSession: (session) => [...children].find(({ sessions }) => sessions.has(session)),
    markBusy(child) {
      child.busy = true;
      child.usedAtMs = performance.now();
      clearTimeout(child.idleTimer);
      child.idleTimer = undefined;
    },
    recordUsage(child, input) {
      child.hasUsedModel ||= taskModel(input) !== undefined;
      // A large model is held once: it says nothing about the size of further processes.
      if (child.hasUsedModel && largeModelOf(input) === undefined && child.largeModels.size === 0)
        memoryLimit.recordUsage(child.memory().rssBytes);
    },
    endIdle: ending.endIdle,
    allBusy: () => [...children].every(({ busy }) => busy),
    isFull: () => children.size >= policy.size || memoryLimit.canAdd(children.size) === false,
    pids: () => [...children].flatMap(({ process: { port } }) => port.pid ?? []),
    memory: memory.snapshot,
    async close() {
      stoppedWatch.close();
      await Promise.all([...children, ...endingChildren].map((child) => child.process.close()));
    },
  };
}

/** Those that share the processors with a further child. One that only keeps sessions computes little. */
const countComputing = (children: ReadonlySet<Child>): number =>
  [...children].filter((child) => child.busy || isFree(child)).length;

const toSetup = ({ mediaLimits, size, supportDir }: ChildrenPolicy): ChildSetup => ({
  ...(mediaLimits === undefined ? {} : { mediaLimits }),
  largeModelThreads: size,
  supportDir: supportDir ?? tmpdir(),
});

/** Ends busy children that somebody stopped: their tasks would wait for the full timeout. */
const watchStopped = (children: ReadonlySet<Child>): StoppedProcessWatcher =>
  watchStoppedProcesses(
    () => [...children].filter(({ busy }) => busy).map(({ process }) => process.port),
    (port) =>
      [...children].find(({ process }) => process.port === port)?.process.terminateStopped(),
  );
