// Ends idle children, sooner while memory exceeds its limit (memory-limit.ts).

import type { MemoryLimit } from "./memory-limit.ts";
import { canLeave, type Child, isFree } from "./pool-child.ts";

export type IdleEnding = {
  /**
   * Call before tasks are assigned: ends free children that get no further work, or that have to be smaller.
   * @param isOneNeeded a task waits for a child, so even the last one may be replaced by a smaller one
   */
  endReplaceable(isOneNeeded: boolean): void;
  /** Call after tasks were assigned: ends children that got none, now or after some time. */
  endUnused(): void;
};

type IdleEndingDeps = {
  children: ReadonlySet<Child>;
  memoryLimit: MemoryLimit;
  /** An idle child is ended after this time. */
  idleMs: number;
  /** More children compute than should at the same time. */
  isTooMany(): boolean;
  end(child: Child): void;
};

/**
 * While memory exceeds its limit, an idle child is ended after this time, unless `idleMs` is shorter. Long enough that
 * a client synthesizing sentence after sentence finds the child still running.
 */
const idleMsOverMemoryLimit = 1000;

export function createIdleEnding({
  children,
  memoryLimit,
  idleMs,
  isTooMany,
  end,
}: IdleEndingDeps): IdleEnding {
  /** While memory exceeds its limit, ends children that can leave, the largest first. */
  function endWhileExceeded(mayEnd: (child: Child) => boolean): void {
    const largestFirst = [...children]
      .filter(canLeave)
      .sort((one, other) => other.memory().rssBytes - one.memory().rssBytes);
    for (const child of largestFirst)
      if (memoryLimit.isExceeded([...children]) && mayEnd(child)) end(child);
  }

  /** Another child can do its work. */
  const isSpare = (child: Child): boolean =>
    child.largeModels.size === 0 &&
    [...children].some(
      (other) => other !== child && other.runtime === child.runtime && !other.isRetired,
    );

  function startIdleTimer(child: Child): void {
    if (!isFree(child) || child.idleTimer !== undefined) return;
    child.idleTimer = setTimeout(
      () => end(child),
      memoryLimit.isExceeded([...children]) ? Math.min(idleMs, idleMsOverMemoryLimit) : idleMs,
    );
    child.idleTimer.unref();
  }

  return {
    endReplaceable(isOneNeeded) {
      for (const child of children) if (child.isRetired && isFree(child)) end(child);
      for (const child of children)
        if (isFree(child) && child.hasUsedModel) child.idleMemory ??= child.memory();
      endWhileExceeded((child) => isSpare(child) || (isOneNeeded && memoryLimit.isBloated(child)));
    },
    endUnused() {
      const byLastUse = [...children].sort((one, other) => one.usedAtMs - other.usedAtMs);
      for (const child of byLastUse) if (canLeave(child) && isTooMany()) end(child);
      endWhileExceeded(() => children.size > 1);
      for (const child of children) startIdleTimer(child);
    },
  };
}
