// What a limit on the memory of all engine processes lets the pool do, by what they told of themselves. Pure;
// starting and ending them is pool.ts's matter.

import type { ChildMemory } from './protocol.ts';

export type Holder = {
  memory(): ChildMemory;
  /** What it held after its first task; undefined before. */
  firstBytes: number | undefined;
};

export type MemoryLimit = {
  /** One more process fits, should it come to hold as much as the largest; the first one always does. */
  hasRoom(holders: readonly Holder[]): boolean;
  isOver(holders: readonly Holder[]): boolean;
  /** It is above the limit by itself, and would be smaller if it were started again for its next task. */
  isBloated(holder: Holder): boolean;
};

/** @param limitBytes Infinity for none */
export function createMemoryLimit(limitBytes: number): MemoryLimit {
  const isOver = (holders: readonly Holder[]): boolean => sumOf(holders) > limitBytes;
  return {
    hasRoom(holders) {
      if (holders.length === 0 || limitBytes === Infinity) return true;
      // Before its first task is done nobody knows how large it becomes.
      if (holders.some(({ firstBytes }) => firstBytes === undefined)) return false;
      return sumOf(holders) + Math.max(...holders.map(bytesOf)) <= limitBytes;
    },
    isOver,
    isBloated(holder) {
      // One that passed the limit with a single model would only load it again.
      const wasLarge = (holder.firstBytes ?? 0) > limitBytes;
      return isOver([holder]) && !(wasLarge && Object.keys(holder.memory().models).length <= 1);
    },
  };
}

const bytesOf = (holder: Holder): number => holder.memory().rssBytes;
const sumOf = (holders: readonly Holder[]): number => holders.reduce((sum, holder) => sum + bytesOf(holder), 0);
