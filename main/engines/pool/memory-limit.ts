// Decides what the memory limit allows the pool to do, from the memory that child processes report. pool-children.ts
// starts them, idle-ending.ts ends them.

import type { ChildMemory } from "./protocol.ts";

export type MeasuredProcess = {
  memory(): ChildMemory;
  /** Memory when first idle after a task with a model; undefined before. */
  idleMemory: ChildMemory | undefined;
};

export type MemoryLimit = {
  /**
   * Records the memory of a process that has used a model. Earlier values, such as after opening a file, say little.
   */
  recordUsage(usedBytes: number): void;
  /**
   * Whether one more process fits if each grows to the largest size seen. The first one always fits. Undefined while no
   * size is known.
   */
  canAdd(processes: readonly MeasuredProcess[]): boolean | undefined;
  isExceeded(processes: readonly MeasuredProcess[]): boolean;
  /**
   * The process alone exceeds the limit and would be smaller after a restart. What it held when first idle would only
   * be loaded again.
   */
  isBloated(measuredProcess: MeasuredProcess): boolean;
};

/** Growth beyond this factor of the first idle size is more than one task's temporary memory explains. */
const maxGrowthFactor = 1.5;

/** @param limitBytes Infinity for no limit */
export function createMemoryLimit(limitBytes: number): MemoryLimit {
  let largestBytes = 0;
  const isExceeded = (processes: readonly MeasuredProcess[]): boolean =>
    sumOf(processes, ({ rssBytes }) => rssBytes) > limitBytes;
  return {
    recordUsage(usedBytes) {
      largestBytes = Math.max(largestBytes, usedBytes);
    },
    canAdd(processes) {
      if (processes.length === 0 || limitBytes === Infinity) return true;
      if (largestBytes === 0) return undefined;
      const grownBytes = sumOf(processes, ({ rssBytes }) => Math.max(rssBytes, largestBytes));
      return grownBytes + largestBytes <= limitBytes;
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

const sumOf = (
  processes: readonly MeasuredProcess[],
  bytesOf: (memory: ChildMemory) => number,
): number => processes.reduce((sum, { memory }) => sum + bytesOf(memory()), 0);

const countModels = ({ models }: ChildMemory): number => Object.keys(models).length;
