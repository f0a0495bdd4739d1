// How the app ends: windows first, then, once, all that runs; only then the process.

import type { App } from "electron";
import type { Log } from "../log.ts";

export type QuitDeps = {
  app: Pick<App, "on" | "quit">;
  /** Ends what runs. */
  close(): Promise<void>;
  log: Log;
  /** What has not ended by then is left to the system. */
  limitMs?: number;
};

type Last = (giveUp: () => void) => void;

export type Quit = {
  /** Is the app about to end? */
  isUnderWay(): boolean;
  /** A window stays open after all. @returns how to go on all the same */
  callOff(): () => void;
  /** Quits; when nothing runs any more, `last` is to end the process, or to call what ends it without more ado. */
  quitFor(last: Last): void;
};

const defaultLimitMs = 10_000;

export function createQuit({ app, close, log, limitMs = defaultLimitMs }: QuitDeps): Quit {
  let isUnderWay = false;
  let ending: Promise<void> | undefined;
  let hasEnded = false;
  let last: Last | undefined;

  async function end(): Promise<void> {
    await within(close(), limitMs).catch((error: unknown) =>
      log.error({ err: error }, "the app did not end in order"),
    );
    hasEnded = true;
    if (last === undefined) leave();
    else last(leave);
  }

  function leave(): void {
    app.quit();
  }

  app.on("before-quit", () => (isUnderWay = true));
  // Every window is closed by then.
  app.on("will-quit", (event) => {
    if (hasEnded) return;
    event.preventDefault();
    ending ??= end();
  });

  function quitFor(what: Last | undefined): void {
    last = what;
    app.quit();
  }

  return {
    isUnderWay: () => isUnderWay,
    callOff() {
      const called = last;
      if (ending === undefined) [isUnderWay, last] = [false, undefined];
      return () => quitFor(called);
    },
    quitFor,
  };
}

async function within(work: Promise<void>, limitMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`it took longer than ${limitMs} ms`)),
    limitMs,
  );
  await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
