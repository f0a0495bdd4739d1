// Limits how many works run at once.

/**
 * Runs at most `max` works at once, in the order of the calls.
 * @returns rejects with the signal's reason if it is aborted before the work begins
 */
export function createWorkLimit(
  max: number,
): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let freeCount = max;
  const waiting = new Set<() => void>();

  const waitForTurn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        waiting.delete(begin);
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(begin);
        reject(signal?.reason as Error);
      };
      waiting.add(begin);
      signal?.addEventListener("abort", leave, { once: true });
    });

  return async (work, signal) => {
    signal?.throwIfAborted();
    if (freeCount > 0) freeCount -= 1;
    else await waitForTurn(signal);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) freeCount += 1;
      else next();
    }
  };
}

/** Runs works with the same key one after the other, also after one that failed. */
export function createTurns(): <T>(key: string, work: () => T | Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work);
    const end = Promise.allSettled([turn]);
    last.set(key, end);
    void end.then(() => last.get(key) === end && last.delete(key));
    return turn;
  };
}
