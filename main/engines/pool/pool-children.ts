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
import { createIdleEnding, type IdleEnding } from "./idle-ending.ts";
import { createMemoryLimit, type MemoryLimit } from "./memory-limit.ts";
import { createModelMemory } from "./model-memory.ts";
import { createMemoryPlan, type MemoryPlan } from "./memory-plan.ts";
import {
  canLeave,
  canRun,
  type Child,
  createChild,
  type HasTurn,
  hasLoaded,
  isBusy,
  isFree,
  loadingModel,
} from "./pool-child.ts";
import type { ChildMemory, ChildSetup, MediaLimits, TaskInput, TaskName } from "./protocol.ts";
import type { Runtime } from "../model-runtime.ts";
import { largeModelOf, taskModel } from "./task-model.ts";

export type ChildrenPolicy = {
  /** Maximum number of child processes that compute. One more may run what none of them could ever run. */
  size: number;
  /** An idle child is ended after this time. */
  idleMs: number;
  /** Limits for untrusted media; default: the children's own limits. */
  mediaLimits?: MediaLimits;
  /** Of a large model, which one process holds; default: one for each process that may run. */
  largeModelThreads?: number;
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
  all(): readonly Child[];
  /** @param onReport called when the child has loaded a model, or reported its memory without a task */
  add(runtime: Runtime, onReport: () => void): Child;
  /**
   * Whether one more may be started for a task. Free ones that cannot run it leave where they are in the way, unless
   * they have their turn.
   */
  makeRoom(input: TaskInput<TaskName>, hasTurn: HasTurn): boolean;
  end(child: Child): void;
  /** Children were asked to exit: their memory will be free. */
  isOneEnding(): boolean;
  /** Ends the children that hold or load the model, as soon as they are free. */
  retire(modelId: string): void;
  /** Call once the child has exited. */
  remove(child: Child): void;
  /** Call after a task of the child succeeded. */
  recordUsage(child: Child, input: TaskInput<TaskName>): void;
  /** See idle-ending.ts. */
  readonly endReplaceable: IdleEnding["endReplaceable"];
  readonly endUnused: IdleEnding["endUnused"];
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
  const memory = createModelMemory(() => Array.from(children, memoryInUse), onMemory);
  const memoryPlan = createMemoryPlan({
    availableBytes: policy.availableBytes ?? (() => process.availableMemory()),
    limitBytes: policy.memoryLimitBytes ?? Infinity,
    heldBytes: () => memory.snapshot().bytes,
    takenBytes: (modelId) => memory.snapshot().models.get(modelId)?.bytes,
    loadingModels: () => Array.from(children).flatMap((child) => loadingModel(child) ?? []),
  });
  const ending = createIdleEnding({
    children,
    memoryLimit,
    idleMs: policy.idleMs,
    isTooMany: () => countComputing(children) > policy.size,
    end,
  });
  const stoppedWatch = watchStopped(children);

  function end(child: Child): void {
    clearTimeout(child.idleTimer);
    children.delete(child);
    endingChildren.add(child);
    void child.process.close();
  }

  return {
    memoryPlan,
    all: () => [...children],
    add(runtime, onReport) {
      const update = (): void => {
        const hasModel = child.loadedAtMs === undefined && loadingModel(child) === undefined;
        if (hasModel) child.loadedAtMs = performance.now();
        memory.update();
        // Otherwise a task ends right after this, and until then only other children could leave.
        if (hasModel || !isBusy(child)) onReport();
      };
      const process = startEngineProcess(() => launch(runtime), log, update, setup);
      const child = createChild(runtime, process, setup.largeModelThreads);
      children.add(child);
      return child;
    },
    makeRoom: (input, hasTurn) =>
      makeRoom(input, { children, endingChildren, memoryLimit, size: policy.size, hasTurn, end }),
    end,
    isOneEnding: () => endingChildren.size > 0,
    retire(modelId) {
      for (const child of children) {
        const isHolding = hasLoaded(child, modelId) || child.largeModels.has(modelId);
        if (!isHolding && child.usedModel?.id !== modelId) continue;
        child.isRetired = true;
        if (isFree(child)) end(child);
      }
      memory.forget(modelId);
    },
    remove(child) {
      clearTimeout(child.idleTimer);
      children.delete(child);
      endingChildren.delete(child);
      memory.update();
    },
    recordUsage(child, input) {
      child.hasUsedModel ||= taskModel(input) !== undefined;
      // A large model is held once: it says nothing about the size of further processes.
      if (child.hasUsedModel && largeModelOf(input) === undefined && child.largeModels.size === 0)
        memoryLimit.recordUsage(child.memory().rssBytes);
    },
    ...ending,
    allBusy: () => [...children].every(isBusy),
    isFull: () => children.size >= policy.size || memoryLimit.canAdd([...children]) === false,
    pids: () => [...children].flatMap(({ process: { port } }) => port.pid ?? []),
    memory: memory.snapshot,
    async close() {
      stoppedWatch.close();
      await Promise.all([...children, ...endingChildren].map((child) => child.process.close()));
    },
  };
}

type Room = {
  children: ReadonlySet<Child>;
  endingChildren: ReadonlySet<Child>;
  memoryLimit: MemoryLimit;
  /** Maximum number of children that compute. */
  size: number;
  hasTurn: HasTurn;
  end(child: Child): void;
};

/** Ends free children that cannot run the task, if they take its place. @returns whether a child may be added now */
function makeRoom(
  input: TaskInput<TaskName>,
  { children, endingChildren, memoryLimit, size, hasTurn, end }: Room,
): boolean {
  const isLacking = ![...children].some((child) => canRun(child, input));
  const inTheWay = [...children]
    .filter((child) => canLeave(child) && !canRun(child, input) && !hasTurn(child))
    .sort((one, other) => one.usedAtMs - other.usedAtMs);
  const excess = Math.max(0, countComputing(children) + 1 - size);
  if (inTheWay.length >= excess) for (const child of inTheWay.splice(0, excess)) end(child);
  else if (!isLacking) return false;
  const fits = memoryLimit.canAdd([...children, ...endingChildren]);
  if (fits === true || endingChildren.size > 0) return fits === true;
  const [unused] = inTheWay;
  if (fits === false && unused !== undefined) {
    end(unused);
    return false;
  }
  // A process that keeps a session stays, perhaps for this very task.
  const willLeave = (child: Child): boolean =>
    child.sessions.size === 0 && (isBusy(child) || hasTurn(child));
  return isLacking && ![...children].some(willLeave);
}

/** Those that share the processors with a further child. One that only keeps sessions computes little. */
const countComputing = (children: ReadonlySet<Child>): number =>
  [...children].filter((child) => isBusy(child) || isFree(child)).length;

/** Models of a process that is to end may have been replaced. */
const memoryInUse = (child: Child): ChildMemory =>
  child.isRetired ? { ...child.memory(), models: {} } : child.memory();

const toSetup = ({
  mediaLimits,
  size,
  largeModelThreads = size,
  supportDir,
}: ChildrenPolicy): ChildSetup => ({
  ...(mediaLimits === undefined ? {} : { mediaLimits }),
  largeModelThreads,
  supportDir: supportDir ?? tmpdir(),
});

/** Ends busy children that somebody stopped: their tasks would wait for the full timeout. */
const watchStopped = (children: ReadonlySet<Child>): StoppedProcessWatcher =>
  watchStoppedProcesses(
    () => [...children].filter(isBusy).map(({ process }) => process.port),
    (port) =>
      [...children].find(({ process }) => process.port === port)?.process.terminateStopped(),
  );
