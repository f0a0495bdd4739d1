// Runs checkpoints of the library's write-ahead log when it is large, off the app's thread.

import { statSync } from "node:fs";

const maxWalBytes = 4 * 2 ** 20;
const checkIntervalMs = 10_000;

/** @param path of the library file */
export function watchLogSize(path: string, checkpoint: () => Promise<unknown>): { close(): void } {
  const timer = setInterval(() => {
    // If a reader blocks the checkpoint, the next interval tries again.
    if (sizeOrZero(`${path}-wal`) > maxWalBytes) checkpoint().catch(() => {});
  }, checkIntervalMs).unref();
  return { close: () => clearInterval(timer) };
}

/** Also 0 if the size cannot be read. */
function sizeOrZero(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
