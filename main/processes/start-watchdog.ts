// Starts the watchdog of this process.

import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { stateIndex, stateLength } from "./watchdog-state.ts";

/** @returns what it looks at, see watchdog-state.ts: at first only whether the app is still there */
export function startWatchdog(): Int32Array<SharedArrayBuffer> {
  const state = new Int32Array(new SharedArrayBuffer(4 * stateLength));
  Atomics.store(state, stateIndex.appPid, Number(process.env["HEARSAY_APP_PID"] ?? 0));
  // As this file is: source, or what was made of it.
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
