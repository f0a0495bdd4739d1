// Runs in a thread of every child process and looks after it while the main thread is in a native call, where
// nothing else of it runs: ends the process where it takes too much memory, where decoding gets stuck, or where the
// app is gone. What it measures and why it ended the process is told on stderr, the one way that is left then.

import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import {
  watchdogMarker,
  stateIndex,
  kill,
  killSiblings,
  type WatchdogReason,
} from "./watchdog-state.ts";

const state = workerData as Int32Array<SharedArrayBuffer>;
/** Pages can be taken at some GB a second: between two looks a process grows by no more than about 100 MB. */
const checkIntervalMs = 20;
/** With nothing to do nothing grows. */
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
  // Nobody wakes it: the time-out is the clock.
  Atomics.wait(
    state,
    stateIndex.waitCell,
    0,
    maxMb > 0 || stallMs > 0 ? checkIntervalMs : idleCheckIntervalMs,
  );
}

/** On Windows an orphan keeps the id of its parent; and where the app ended before this thread began, another is known as the parent. */
function hasParent(): boolean {
  return (
    process.ppid === parentPid &&
    processExists(parentPid) &&
    processExists(Atomics.load(state, stateIndex.appPid))
  );
}

/** Also where `pid` is 0. */
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
    // Nobody reads it any more.
  }
  kill(process.pid);
  for (;;) Atomics.wait(state, stateIndex.waitCell, 0);
}
