// What the pool knows of a child process.

import type { InstalledModel } from "../../contract/models.ts";
import { type Runtime, tasksSideBySide } from "../model-runtime.ts";
import type { EngineProcess } from "./engine-process.ts";
import type { ChildMemory, TaskInput, TaskName } from "./protocol.ts";
import { largeModelOf, taskModel, taskRuntime } from "./task-model.ts";

export type Child = {
  readonly runtime: Runtime;
  readonly process: EngineProcess;
  /** Ids of large models that only this child may hold. */
  readonly largeModels: Set<string>;
  /** Gets no further work, and is ended as soon as it is free. */
  isRetired: boolean;
  /** Of a large model. */
  readonly threads: number;
  /** Several only of a model that computes them side by side. */
  runningTasks: number;
  /** Model of the running task, if it has one. */
  usedModel: InstalledModel | undefined;
  /** Start of its last task; 0 if there was none. */
  usedAtMs: number;
  /** When its last task had its model; undefined while that is loaded. */
  loadedAtMs: number | undefined;
  /** Pins by session. */
  readonly sessions: Map<string, Pin>;
  idleTimer: NodeJS.Timeout | undefined;
  memory(): ChildMemory;
  hasUsedModel: boolean;
  idleMemory: ChildMemory | undefined;
};

/** Waiting and running tasks of a job. */
export type JobTasks = {
  readonly tasks: readonly unknown[];
  readonly runningSinceMs: ReadonlySet<number>;
};

/** `child` is chosen with the first task. */
export type Pin = {
  readonly session: string;
  /** Of the job that keeps the session. */
  readonly queue: JobTasks;
  child: Child | undefined;
  /** Set once no further task can run on this pin. */
  lostReason: string | undefined;
};

/** Tells free children that stay for now, although a task wants their place. See turns.ts. */
export type HasTurn = (child: Child) => boolean;

export const createChild = (runtime: Runtime, process: EngineProcess, threads: number): Child => ({
  runtime,
  process,
  threads,
  largeModels: new Set(),
  isRetired: false,
  runningTasks: 0,
  usedModel: undefined,
  usedAtMs: 0,
  loadedAtMs: undefined,
  sessions: new Map(),
  idleTimer: undefined,
  memory: process.memory,
  hasUsedModel: false,
  idleMemory: undefined,
});

export const isBusy = ({ runningTasks }: Child): boolean => runningTasks > 0;

/** Without a task and without a session. */
export const isFree = (child: Child): boolean => !isBusy(child) && child.sessions.size === 0;

/** Free, and had a task: one that was only just started would be started again. */
export const canLeave = (child: Child): boolean => isFree(child) && child.usedAtMs > 0;

/** A process holds one large model at most, so that each can leave alone. */
export function canRun(child: Child, input: TaskInput<TaskName>): boolean {
  const large = largeModelOf(input);
  return (
    child.runtime === taskRuntime(input) &&
    !child.isRetired &&
    (large === undefined || child.largeModels.size === 0 || child.largeModels.has(large.id))
  );
}

/** Whether its running tasks leave room for the task. */
export function canStart(child: Child, input: TaskInput<TaskName>): boolean {
  const model = taskModel(input);
  return (
    !isBusy(child) ||
    (model !== undefined &&
      model.id === child.usedModel?.id &&
      hasLoaded(child, model.id) &&
      child.runningTasks < Math.min(child.threads, tasksSideBySide(model)))
  );
}

export const hasLoaded = (child: Child, modelId: string): boolean =>
  Object.hasOwn(child.memory().models, modelId);

/** The model that its running task waits for. */
/** Call when the child starts a task. */
export function markBusy(child: Child, input: TaskInput<TaskName>): void {
  child.runningTasks += 1;
  child.usedModel = taskModel(input);
  child.usedAtMs = performance.now();
  if (child.runningTasks === 1)
    child.loadedAtMs = loadingModel(child) === undefined ? child.usedAtMs : undefined;
  clearTimeout(child.idleTimer);
  child.idleTimer = undefined;
  const large = largeModelOf(input);
  if (large !== undefined) child.largeModels.add(large.id);
}

/** Call when a task of the child has ended. */
export function markIdle(child: Child): void {
  child.runningTasks -= 1;
  if (!isBusy(child)) child.usedModel = undefined;
}

export const loadingModel = (child: Child): InstalledModel | undefined =>
  child.usedModel !== undefined && !hasLoaded(child, child.usedModel.id)
    ? child.usedModel
    : undefined;
