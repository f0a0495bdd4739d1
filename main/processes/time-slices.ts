// Long work on the main thread in short slices, with everything else in between: no request may wait for another
// one's large text. Whatever is under way shares the turns: one slice of one work each.

/** A turn of the event loop takes at most about so long, when each step is short. */
const sliceMs = 5;

/** Works that wait for their next slice. */
const waiting: (() => void)[] = [];

/** Takes all steps of a generator whose work is done between its yields. @throws the signal's reason */
export async function runInSlices<Result>(
  steps: Generator<unknown, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    const untilMs = performance.now() + sliceMs;
    do {
      const { done, value } = steps.next();
      if (done === true) return value;
    } while (performance.now() < untilMs);
    await nextSlice();
    signal?.throwIfAborted();
  }
}

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(wakeOne);
  });
}

function wakeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(wakeOne);
}

/** The same at once. */
export function runAtOnce<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
