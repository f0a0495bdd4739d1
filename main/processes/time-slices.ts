// Long work on the main thread in short slices, with everything else in between: no request may wait for another
// one's large text. Whatever is under way shares the turns: one slice of one work each.

/** A turn of the event loop takes at most about so long, when each step is short. */
const sliceMs = 5;

/** Works that wait for their next slice. */
const waitingResumes: (() => void)[] = [];

/** Takes all steps of a generator whose work is done between its yields. @throws the signal's reason */
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

/** The same at once. */
export function runToCompletion<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
