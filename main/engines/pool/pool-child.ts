// What the pool knows of a child process.

import type { Runtime } from "../model-runtime.ts";
import type { EngineProcess } from "./engine-process.ts";
import type { ChildMemory } from "./protocol.ts";

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

export const createChild = (runtime: Runtime, process: EngineProcess): Child => ({
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

/** Without a task and without a session. */
export const isFree = ({ busy, sessions }: Child): boolean => !busy && sessions.size === 0;
