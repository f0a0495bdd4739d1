// A component's long-running action that may fail: busy state, error, cancel. For outcomes shown where the action was
// started.

import { useCallback, useEffect, useRef, useState } from "react";
import { isAbort, messageOf } from "../api/error.ts";

export type Task = {
  readonly isBusy: boolean;
  readonly error: string | undefined;
  /** Runs `work` unless it is running already. A failure is in `error`, not thrown. @returns whether it succeeded */
  run(work: (signal: AbortSignal) => Promise<void>): Promise<boolean>;
  cancel(): void;
  clear(): void;
};

/** Unmounting cancels it. */
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
      // After a cancel another run may be in progress.
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
