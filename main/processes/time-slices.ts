// Runs long work on the main thread in short slices, so that it does not block requests. Concurrent jobs alternate: one
// slice of one job per turn of the event loop.

/** Maximum duration of a slice, if each step is short. */
const sliceMs = 5;

/** Jobs waiting for their next slice. */
const waitingResumes: (() => void)[] = [];

/** Runs a generator that yields between short steps. @throws the signal's reason */
export async function runInSlices<Result>(
  steps: Generator<unknown, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    const deadlineMs = performance.now() + sliceMs;
    do {
      const { done, value } = steps.next();
      if (done === true) return value;
    } while (performance.now() < deadlineMs);
    await waitForNextSlice();
    signal?.throwIfAborted();
  }
}

function waitForNextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waitingResumes.push(resolve);
    if (waitingResumes.length === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waitingResumes.shift()?.();
  if (waitingResumes.length > 0) setImmediate(resumeOne);
}

/** Runs all steps synchronously. */
export function runToCompletion<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
