// Quitting: closes windows, then stops all work once, then ends the process.

import type { App } from "electron";
import type { Log } from "../log.ts";

export type QuitDeps = {
  app: Pick<App, "on" | "quit">;
  /** Stops all work. */
  close(): Promise<void>;
  log: Log;
  /** After this time the process exits even if work is still running. */
  timeoutMs?: number;
};

type FinalStep = (forceQuit: () => void) => void;

export type Quit = {
  /** True while the app is quitting. */
  isQuitting(): boolean;
  /** Cancels quitting, since a window stays open. @returns a function that resumes it */
  cancel(): () => void;
  /** Quits. After all work has stopped, `finalStep` must end the process, or call its argument to do so. */
  quitThen(finalStep: FinalStep): void;
};

const defaultTimeoutMs = 10_000;

export function createQuit({ app, close, log, timeoutMs = defaultTimeoutMs }: QuitDeps): Quit {
  let isQuitting = false;
  let closing: Promise<void> | undefined;
  let hasClosed = false;
  let finalStep: FinalStep | undefined;

  async function closeAndQuit(): Promise<void> {
    await withTimeout(close(), timeoutMs).catch((error: unknown) =>
      log.error({ err: error }, "the app did not close cleanly"),
    );
    hasClosed = true;
    if (finalStep === undefined) quitApp();
    else finalStep(quitApp);
  }

  function quitApp(): void {
    app.quit();
  }

  app.on("before-quit", () => (isQuitting = true));
  // All windows are closed at this point.
  app.on("will-quit", (event) => {
    if (hasClosed) return;
    event.preventDefault();
    closing ??= closeAndQuit();
  });

  function quitThen(step: FinalStep | undefined): void {
    finalStep = step;
    app.quit();
  }

  return {
    isQuitting: () => isQuitting,
    cancel() {
      const canceledStep = finalStep;
      if (closing === undefined) [isQuitting, finalStep] = [false, undefined];
      return () => quitThen(canceledStep);
    },
    quitThen,
  };
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`it took longer than ${timeoutMs} ms`)),
    timeoutMs,
  );
  await Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}
