// One engine pool for the jobs of all tests in a worker: an engine process takes longer to start than most tests run.

import { tmpdir } from "node:os";
import { createPool, type Pool } from "../../main/engines/pool/pool.ts";
import { createLauncher, engineModule, quietLog } from "./app.ts";

let pool: Pool | undefined;

/** Closing it has no effect; its process ends when idle. */
export function sharedPool(): Pool {
  pool ??= createPool(
    createLauncher(engineModule, tmpdir()),
    { size: 1, idleMs: 20_000, taskTimeoutMs: 30_000 },
    quietLog,
  );
  return { ...pool, close: () => Promise.resolve() };
}
