// Runs in a thread of every child process, since native calls block the main thread. Ends the process if it uses too
// much memory, if decoding stalls, or if the app is gone. Writes the reason to stderr, the only channel that works
// then.

import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import {
  watchdogMarker,
  stateIndex,
  killSiblings,
  sendSignal,
  type WatchdogReason,
} from "./watchdog-state.ts";

const state = workerData as Int32Array<SharedArrayBuffer>;
/** Memory can grow by some GB per second: about 100 MB between two checks. */
const checkIntervalMs = 20;
/** Longer while no limit is set. */
const idleCheckIntervalMs = 200;
const parentCheckIntervalMs = 1000;
const parentPid = process.ppid;

let progress = -1;
let progressAtMs = 0;
let parentCheckedMs = 0;

for (;;) {
  const nowMs = performance.now();
  const maxMb = Atomics.load(state, stateIndex.maxMb);
  const rssMb = process.memoryUsage.rss() / 1e6;
  if (maxMb > 0 && rssMb > maxMb)
    end("memory", `${Math.round(rssMb)} MB held, ${maxMb} MB allowed`);
  const stallMs = Atomics.load(state, stateIndex.stallMs);
  const currentProgress = Atomics.load(state, stateIndex.progress);
  if (stallMs === 0 || currentProgress !== progress) {
    progress = currentProgress;
    progressAtMs = nowMs;
  } else if (nowMs - progressAtMs > stallMs) end("stalled", `nothing decoded for ${stallMs} ms`);
  if (nowMs - parentCheckedMs > parentCheckIntervalMs) {
    parentCheckedMs = nowMs;
    if (!hasParent()) {
      killSiblings(state);
      end("orphaned", "the app is gone");
    }
  }
  // No one notifies this cell: the timeout serves as a timer.
  Atomics.wait(
    state,
    stateIndex.waitCell,
    0,
    maxMb > 0 || stallMs > 0 ? checkIntervalMs : idleCheckIntervalMs,
  );
}

/**
 * On Windows an orphan keeps its parent's id. If the app exited before this thread started, the process has another
 * parent.
 */
function hasParent(): boolean {
  return (
    process.ppid === parentPid &&
    processExists(parentPid) &&
    processExists(Atomics.load(state, stateIndex.appPid))
  );
}

/** Also true for `pid` 0, which means unknown. */
function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function end(reason: WatchdogReason, details: string): never {
  try {
    writeSync(2, `${watchdogMarker(reason)} ${details}\n`);
  } catch {
    // stderr is closed.
  }
  sendSignal(process.pid, "SIGKILL");
  for (;;) Atomics.wait(state, stateIndex.waitCell, 0);
}
