// Long work on the main thread in short slices, with everything else in between: no request may wait for another
// one's large text.

import { setImmediate } from 'node:timers/promises';

/** A turn of the event loop takes at most about so long, when each step is short. */
const sliceMs = 8;

/** Takes all steps of a generator whose work is done between its yields. @throws the signal's reason */
export async function runInSlices<Result>(steps: Generator<unknown, Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    const untilMs = performance.now() + sliceMs;
    do {
      const { done, value } = steps.next();
      if (done === true) return value;
    } while (performance.now() < untilMs);
    await setImmediate();
    signal?.throwIfAborted();
  }
}

/** The same at once. */
export function runAtOnce<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
