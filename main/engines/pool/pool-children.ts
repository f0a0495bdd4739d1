// The pool's child processes: starts them within the limits, and ends idle ones, sooner while memory exceeds its limit
// (memory-limit.ts). task-scheduler.ts decides what they run.

import type { EngineMemory } from "../../contract/speech.ts";
import type { Log } from "../../log.ts";
import type { ChildPort } from "../../platform.ts";
import { watchStoppedProcesses } from "../../processes/stopped-process-watcher.ts";
import { startEngineProcess, type EngineProcess } from "./engine-process.ts";
import { createMemoryLimit } from "./memory-limit.ts";
import { createModelMemory } from "./model-memory.ts";
import type { ChildMemory, MediaLimits, TaskInput, TaskName } from "./protocol.ts";

export type ChildrenPolicy = {
  /** Maximum number of child processes. */
  size: number;
  /** An idle child is ended after this time. */
  idleMs: number;
  /** Limits for untrusted media; default: the children's own limits. */
  mediaLimits?: MediaLimits;
  /** Limit for all child processes together; default: none. One process works regardless of its size. */
  memoryLimitBytes?: number;
};

export type Child = {
  readonly process: EngineProcess;
  busy: boolean;
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
  add(): Child;
  canAdd(): boolean;
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
  /** No further one may be started. */
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
  launch: () => ChildPort,
  policy: ChildrenPolicy,
  log: Log,
  onMemory: (memory: EngineMemory) => void,
): PoolChildren {
  const children = new Set<Child>();
  /** Asked to exit, but still running. */
  const endingChildren = new Set<Child>();
  const memoryLimit = createMemoryLimit(policy.memoryLimitBytes ?? Infinity);
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
    const free = [...children]
      .filter(isFree)
      .sort((one, other) => other.memory().rssBytes - one.memory().rssBytes);
    for (const child of free) {
      if (
        memoryLimit.isExceeded([...children]) &&
        (children.size > 1 || (isOneNeeded && memoryLimit.isBloated(child)))
      )
        end(child);
    }
  }

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

  return {
    add() {
      const process = startEngineProcess(launch, log, memory.update, policy.mediaLimits);
      const child = createChild(process);
      children.add(child);
      return child;
    },
    canAdd: () =>
      children.size < policy.size &&
      memoryLimit.canAdd(children.size + endingChildren.size) === true,
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
      clearTimeout(child.idleTimer);
      child.idleTimer = undefined;
    },
    recordUsage(child, input) {
      child.hasUsedModel ||= "model" in input;
      if (child.hasUsedModel) memoryLimit.recordUsage(child.memory().rssBytes);
    },
    endIdle(isOneNeeded) {
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

const createChild = (process: EngineProcess): Child => ({
  process,
  busy: false,
  sessions: new Map(),
  idleTimer: undefined,
  memory: process.memory,
  hasUsedModel: false,
  idleMemory: undefined,
});

const isFree = ({ busy, sessions }: Child): boolean => !busy && sessions.size === 0;
