// The pool's child processes: starts them within the limits, and ends idle ones, sooner while memory exceeds its limit
// (memory-limit.ts). task-scheduler.ts decides what they run.

import { tmpdir } from "node:os";
import type { EngineMemory } from "../../contract/speech.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import { watchStoppedProcesses } from "../../processes/stopped-process-watcher.ts";
import { startEngineProcess, type EngineProcess } from "./engine-process.ts";
import { createMemoryLimit } from "./memory-limit.ts";
import { createModelMemory } from "./model-memory.ts";
import { createMemoryPlan, type MemoryPlan } from "./memory-plan.ts";
import type { ChildMemory, MediaLimits, TaskInput, TaskName } from "./protocol.ts";
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

export type Child = {
  readonly runtime: Runtime;
  readonly process: EngineProcess;
  /** Ids of large models that only this child may hold. */
  readonly largeModels: Set<string>;
  /** Gets no further work, and is ended as soon as it is free. */
  isRetired: boolean;
  busy: boolean;
  /** Start of its last task. */
  usedAtMs: number;
  /** Pins by session. */
  readonly sessions: Map<string, Pin>;
  idleTimer: NodeJS.Timeout | undefined;
  memory(): ChildMemory;
  hasUsedModel: boolean;
  idleMemory: ChildMemory | undefined;
};

/** `child` is chosen with the first task. */
export type Pin = {
  readonly session: string;
  child: Child | undefined;
  /** Set once no further task can run on this pin. */
  lostReason: string | undefined;
};

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

/**
 * While memory exceeds its limit, an idle child is ended after this time, unless `idleMs` is shorter. Long enough that
 * a client synthesizing sentence after sentence finds the child still running.
 */
const idleMsOverMemoryLimit = 1000;

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
  const setup = {
    ...(policy.mediaLimits === undefined ? {} : { mediaLimits: policy.mediaLimits }),
    largeModelThreads: policy.size,
    supportDir: policy.supportDir ?? tmpdir(),
  };
  const memoryLimit = createMemoryLimit(policy.memoryLimitBytes ?? Infinity);
  const memoryPlan = createMemoryPlan({
    availableBytes: policy.availableBytes ?? (() => process.availableMemory()),
    limitBytes: policy.memoryLimitBytes ?? Infinity,
    heldBytes: () => memory.snapshot().bytes,
    measuredBytes: (id) => memory.snapshot().models.get(id)?.bytes,
  });
  const memory = createModelMemory(() => Array.from(children, (child) => child.memory()), onMemory);
  const stoppedWatch = watchStoppedProcesses(
    () =>
      Array.from(children)
        .filter(({ busy }) => busy)
        .map(({ process }) => process.port),
    (port) =>
      Array.from(children)
        .find(({ process }) => process.port === port)
        ?.process.terminateStopped(),
  );

  function end(child: Child): void {
    clearTimeout(child.idleTimer);
    children.delete(child);
    endingChildren.add(child);
    void child.process.close();
  }

  /**
   * While memory exceeds its limit, ends idle children, the largest first. The last one is ended only if a new one
   * is needed and would be smaller.
   */
  function enforceMemoryLimit(isOneNeeded: boolean): void {
    for (const child of freeLargestFirst()) {
      if (
        memoryLimit.isExceeded([...children]) &&
        (children.size > 1 || (isOneNeeded && memoryLimit.isBloated(child)))
      )
        end(child);
    }
  }

  const freeLargestFirst = (): Child[] =>
    [...children]
      .filter(isFree)
      .sort((one, other) => other.memory().rssBytes - one.memory().rssBytes);

  function startIdleTimer(child: Child): void {
    if (!isFree(child) || child.idleTimer !== undefined) return;
    child.idleTimer = setTimeout(
      () => end(child),
      memoryLimit.isExceeded([...children])
        ? Math.min(policy.idleMs, idleMsOverMemoryLimit)
        : policy.idleMs,
    );
    child.idleTimer.unref();
  }

  /** Those that share the processors with a further child. One that only keeps sessions computes little. */
  const countComputing = (): number =>
    [...children].filter((child) => child.busy || isFree(child)).length;

  return {
    memoryPlan,
    add(runtime) {
      const process = startEngineProcess(() => launch(runtime), log, memory.update, setup);
      const child = createChild(runtime, process);
      children.add(child);
      return child;
    },
    makeRoom(runtime) {
      const leastUsedFirst = [...children].sort((one, other) => one.usedAtMs - other.usedAtMs);
      for (const child of leastUsedFirst)
        // A free child of this runtime was not given the task because it holds another large model.
        if (
          isFree(child) &&
          countComputing() >= policy.size &&
          (child.runtime !== runtime || child.largeModels.size > 0)
        )
          end(child);
      return (
        countComputing() < policy.size &&
        memoryLimit.canAdd(children.size + endingChildren.size) === true
      );
    },
    holding: (modelId) => [...children].find(({ largeModels }) => largeModels.has(modelId)),
    free: freeLargestFirst,
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
    endIdle(isOneNeeded) {
      for (const child of children) if (child.isRetired && isFree(child)) end(child);
      for (const child of children)
        if (isFree(child) && child.hasUsedModel) child.idleMemory ??= child.memory();
      enforceMemoryLimit(isOneNeeded);
      for (const child of children) startIdleTimer(child);
    },
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

const createChild = (runtime: Runtime, process: EngineProcess): Child => ({
  runtime,
  process,
  largeModels: new Set(),
  isRetired: false,
  busy: false,
  usedAtMs: 0,
  sessions: new Map(),
  idleTimer: undefined,
  memory: process.memory,
  hasUsedModel: false,
  idleMemory: undefined,
});

const isFree = ({ busy, sessions }: Child): boolean => !busy && sessions.size === 0;
