// Ends idle children, sooner while memory exceeds its limit (memory-limit.ts).

import type { MemoryLimit } from "./memory-limit.ts";
import { type Child, isFree } from "./pool-child.ts";

export type IdleEnding = {
  /** Those without a task and without a session. */
  freeLargestFirst(): Child[];
  /**
   * Ends idle children, now or after some time.
   * @param isOneNeeded a task waits for a child, so even the last one may be replaced by a smaller one
   */
  endIdle(isOneNeeded: boolean): void;
};

type IdleEndingDeps = {
  children: ReadonlySet<Child>;
  memoryLimit: MemoryLimit;
  /** An idle child is ended after this time. */
  idleMs: number;
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
  end,
}: IdleEndingDeps): IdleEnding {
  /**
   * While memory exceeds its limit, ends idle children, the largest first. The last one is ended only if a new one
   * is needed and would be smaller.
   */
  function enforceMemoryLimit(isOneNeeded: boolean): void {
    for (const child of freeLargestFirst()) {
      if (
        memoryLimit.isExceeded([...children]) &&
        (children.size > 1 || (isOneNeeded && memoryLimit.isBloated(child)))
      )
        end(child);
    }
  }

  const freeLargestFirst = (): Child[] =>
    [...children]
      .filter(isFree)
      .sort((one, other) => other.memory().rssBytes - one.memory().rssBytes);

  function startIdleTimer(child: Child): void {
    if (!isFree(child) || child.idleTimer !== undefined) return;
    child.idleTimer = setTimeout(
      () => end(child),
      memoryLimit.isExceeded([...children]) ? Math.min(idleMs, idleMsOverMemoryLimit) : idleMs,
    );
    child.idleTimer.unref();
  }

  return {
    freeLargestFirst,
    endIdle(isOneNeeded) {
      for (const child of children) if (child.isRetired && isFree(child)) end(child);
      for (const child of children)
        if (isFree(child) && child.hasUsedModel) child.idleMemory ??= child.memory();
      enforceMemoryLimit(isOneNeeded);
      for (const child of children) startIdleTimer(child);
    },
  };
}
