// What a limit on the memory of all engine processes lets the pool do, by what they told of themselves. pool.ts
// starts and ends them.

import type { ChildMemory } from "./protocol.ts";

export type MeasuredProcess = {
  memory(): ChildMemory;
  /** What it held when it had nothing to do for the first time after a task with a model; undefined before. */
  idleMemory: ChildMemory | undefined;
};

export type MemoryLimit = {
  /** So much is held by a process that has used a model: what comes before that, as opening a file, says little. */
  recordUsage(usedBytes: number): void;
  /** Whether there may be one more than `count`, should all become as large as the largest there ever was; the first one may always be. Undefined while nobody knows how large one becomes. */
  canAdd(count: number): boolean | undefined;
  isExceeded(measuredProcesses: readonly MeasuredProcess[]): boolean;
  /** It is above the limit by itself, and would be smaller if it were started again: what it held at rest it would only load again. */
  isBloated(measuredProcess: MeasuredProcess): boolean;
};

/** Above what it held at rest by more than the work of one task adds at times. */
const maxGrowthFactor = 1.5;

/** @param limitBytes Infinity for none */
export function createMemoryLimit(limitBytes: number): MemoryLimit {
  let largestBytes = 0;
  const isExceeded = (measuredProcesses: readonly MeasuredProcess[]): boolean =>
    measuredProcesses.reduce((sum, measuredProcess) => sum + measuredProcess.memory().rssBytes, 0) >
    limitBytes;
  return {
    recordUsage(usedBytes) {
      largestBytes = Math.max(largestBytes, usedBytes);
    },
    canAdd(count) {
      if (count === 0 || limitBytes === Infinity) return true;
      return largestBytes === 0 ? undefined : (count + 1) * largestBytes <= limitBytes;
    },
    isExceeded,
    isBloated(measuredProcess) {
      const { idleMemory } = measuredProcess;
      if (idleMemory === undefined || !isExceeded([measuredProcess])) return false;
      const current = measuredProcess.memory();
      return (
        countModels(current) > countModels(idleMemory) ||
        current.rssBytes > maxGrowthFactor * idleMemory.rssBytes
      );
    },
  };
}

const countModels = ({ models }: ChildMemory): number => Object.keys(models).length;
