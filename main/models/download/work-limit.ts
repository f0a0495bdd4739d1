// Limits how many works run at once.

/** Runs at most `max` works at once, in the order of the calls. */
export function createWorkLimit(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let freeCount = max;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (freeCount > 0) freeCount -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) freeCount += 1;
      else next();
    }
  };
}
