// What a limit on the memory of all engine processes lets the pool do, by what they told of themselves. pool.ts
// starts and ends them.

import type { ChildMemory } from "./protocol.ts";

export type Holder = {
  memory(): ChildMemory;
  /** What it held when it had nothing to do for the first time after a task with a model; undefined before. */
  atRest: ChildMemory | undefined;
};

export type MemoryLimit = {
  /** So much is held by a process that has used a model: what comes before that, as opening a file, says little. */
  learn(heldBytes: number): void;
  /** Whether there may be one more than `count`, should all become as large as the largest there ever was; the first one may always be. Undefined while nobody knows how large one becomes. */
  fits(count: number): boolean | undefined;
  isOver(holders: readonly Holder[]): boolean;
  /** It is above the limit by itself, and would be smaller if it were started again: what it held at rest it would only load again. */
  isBloated(holder: Holder): boolean;
};

/** Above what it held at rest by more than the work of one task adds at times. */
const grown = 1.5;

/** @param limitBytes Infinity for none */
export function createMemoryLimit(limitBytes: number): MemoryLimit {
  let largestBytes = 0;
  const isOver = (holders: readonly Holder[]): boolean =>
    holders.reduce((sum, holder) => sum + holder.memory().rssBytes, 0) > limitBytes;
  return {
    learn(heldBytes) {
      largestBytes = Math.max(largestBytes, heldBytes);
    },
    fits(count) {
      if (count === 0 || limitBytes === Infinity) return true;
      return largestBytes === 0 ? undefined : (count + 1) * largestBytes <= limitBytes;
    },
    isOver,
    isBloated(holder) {
      const { atRest } = holder;
      if (atRest === undefined || !isOver([holder])) return false;
      const now = holder.memory();
      return countModels(now) > countModels(atRest) || now.rssBytes > grown * atRest.rssBytes;
    },
  };
}

const countModels = ({ models }: ChildMemory): number => Object.keys(models).length;
