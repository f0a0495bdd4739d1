// Starts the watchdog thread of this process.

import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { stateIndex, stateLength } from "./watchdog-state.ts";

/** @returns shared state, see watchdog-state.ts; initially the watchdog only checks that the app is running */
export function startWatchdog(): Int32Array<SharedArrayBuffer> {
  const state = new Int32Array(new SharedArrayBuffer(4 * stateLength));
  Atomics.store(state, stateIndex.appPid, Number(process.env["HEARSAY_APP_PID"] ?? 0));
  // Same extension as this file: source (.ts) or build (.js).
  const watchdog = new Worker(
    join(import.meta.dirname, `watchdog${extname(import.meta.filename)}`),
    {
      workerData: state,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    },
  );
  watchdog.unref();
  return state;
}
