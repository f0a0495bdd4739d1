// How the app ends: windows first, then, once, all that runs; only then the process.

import type { App } from 'electron';
import type { Log } from '../log.ts';

export type QuitDeps = {
  app: Pick<App, 'on' | 'quit'>;
  /** Ends what runs. */
  close(): Promise<void>;
  log: Log;
  /** What has not ended by then is left to the system. */
  limitMs?: number;
};

export type Quit = {
  /** Is the app about to end? */
  isUnderWay(): boolean;
  /** A window stays open after all. */
  callOff(): void;
  /** Ends what runs; quitting then ends the process at once. */
  end(): Promise<void>;
};

const usualLimitMs = 10_000;

export function createQuit({ app, close, log, limitMs = usualLimitMs }: QuitDeps): Quit {
  let isUnderWay = false;
  let ending: Promise<void> | undefined;
  let hasEnded = false;

  const end = (): Promise<void> => (ending ??= within(close(), limitMs).catch((error: unknown) => log.error({ err: error }, 'the app did not end in order')).finally(() => (hasEnded = true)));

  app.on('before-quit', () => (isUnderWay = true));
  // Every window is closed by then.
  app.on('will-quit', (event) => {
    if (hasEnded) return;
    event.preventDefault();
    void end().then(() => app.quit());
  });
  return {
    isUnderWay: () => isUnderWay,
    callOff: () => (isUnderWay = ending !== undefined),
    end,
  };
}

async function within(work: Promise<void>, limitMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it took longer than ${limitMs} ms`)), limitMs);
  await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
