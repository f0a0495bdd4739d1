// One thing a component does that takes a while and may fail: busy, what went wrong, cancel. For what is shown where
// it was started.

import { useCallback, useEffect, useRef, useState } from "react";
import { isAbort, messageOf } from "../api/error.ts";

export type Task = {
  readonly isBusy: boolean;
  readonly error: string | undefined;
  /** Runs it unless it runs already; answers whether it came to its end. A failure is in `error`, not thrown. */
  run(work: (signal: AbortSignal) => Promise<void>): Promise<boolean>;
  cancel(): void;
  clear(): void;
};

/** What still runs when the component goes is cancelled. */
export function useTask(): Task {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const running = useRef<AbortController>(undefined);
  const run = useCallback(async (work: (signal: AbortSignal) => Promise<void>) => {
    if (running.current !== undefined) return false;
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    setError(undefined);
    try {
      await work(controller.signal);
      return true;
    } catch (failure) {
      if (running.current === controller && !isAbort(failure)) setError(messageOf(failure));
      return false;
    } finally {
      // Where it was cancelled, another one may run by now.
      if (running.current === controller) {
        running.current = undefined;
        setBusy(false);
      }
    }
  }, []);
  const cancel = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setBusy(false);
  }, []);
  useEffect(() => cancel, [cancel]);
  return { isBusy, error, run, cancel, clear: useCallback(() => setError(undefined), []) };
}
