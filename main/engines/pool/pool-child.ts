// What the pool knows of a child process.

import type { InstalledModel } from "../../contract/models.ts";
import type { Runtime } from "../model-runtime.ts";
import type { EngineProcess } from "./engine-process.ts";
import type { ChildMemory, TaskInput, TaskName } from "./protocol.ts";
import { largeModelOf, taskRuntime } from "./task-model.ts";

export type Child = {
  readonly runtime: Runtime;
  readonly process: EngineProcess;
  /** Ids of large models that only this child may hold. */
  readonly largeModels: Set<string>;
  /** Gets no further work, and is ended as soon as it is free. */
  isRetired: boolean;
  busy: boolean;
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

export const createChild = (runtime: Runtime, process: EngineProcess): Child => ({
  runtime,
  process,
  largeModels: new Set(),
  isRetired: false,
  busy: false,
  usedModel: undefined,
  usedAtMs: 0,
  loadedAtMs: undefined,
  sessions: new Map(),
  idleTimer: undefined,
  memory: process.memory,
  hasUsedModel: false,
  idleMemory: undefined,
});

/** Without a task and without a session. */
export const isFree = ({ busy, sessions }: Child): boolean => !busy && sessions.size === 0;

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

export const hasLoaded = (child: Child, modelId: string): boolean =>
  Object.hasOwn(child.memory().models, modelId);

/** The model that its running task waits for. */
export const loadingModel = (child: Child): InstalledModel | undefined =>
  child.usedModel !== undefined && !hasLoaded(child, child.usedModel.id)
    ? child.usedModel
    : undefined;
