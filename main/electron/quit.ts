// How the app ends: windows first, then, once, all that runs; only then the process.

import type { App } from "electron";
import type { Log } from "../log.ts";

export type QuitDeps = {
  app: Pick<App, "on" | "quit">;
  /** Ends what runs. */
  close(): Promise<void>;
  log: Log;
  /** What has not ended by then is left to the system. */
  timeoutMs?: number;
};

type FinalStep = (forceQuit: () => void) => void;

export type Quit = {
  /** Is the app about to end? */
  isQuitting(): boolean;
  /** A window stays open after all. @returns how to go on all the same */
  cancel(): () => void;
  /** Quits; when nothing runs any more, `finalStep` is to end the process, or to call what ends it without more ado. */
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
      log.error({ err: error }, "the app did not end in order"),
    );
    hasClosed = true;
    if (finalStep === undefined) quitApp();
    else finalStep(quitApp);
  }

  function quitApp(): void {
    app.quit();
  }

  app.on("before-quit", () => (isQuitting = true));
  // Every window is closed by then.
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
