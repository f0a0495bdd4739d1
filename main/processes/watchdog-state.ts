// What the main thread of a child process and its watchdog share: a few numbers in memory that both can read at any
// time; and how the app tells from stderr why a watchdog ended its process.

/** Indices into the shared array of 32-bit integers. */
export const stateIndex = {
  /** Waited on, never changed. */
  waitCell: 0,
  /** The process is ended above that; 0: not watched. */
  maxMb: 1,
  /** The process is ended where `progress` stays the same for so long; 0: not watched. */
  stallMs: 2,
  progress: 3,
  /** The app's process id; 0: not told. */
  appPid: 4,
  /** How many other child processes the app has; their ids follow. */
  siblingCount: 5,
} as const;

const maxSiblings = 64;
export const stateLength = stateIndex.siblingCount + 1 + maxSiblings;

const reasons = ["memory", "stalled", "orphaned"] as const;
export type WatchdogReason = (typeof reasons)[number];

export const watchdogMarker = (reason: WatchdogReason): string => `hearsay-watchdog: ${reason}:`;

/** @param stderrTail the last that a process that ended wrote to stderr */
export const watchdogReason = (stderrTail: string): WatchdogReason | undefined =>
  reasons.find((reason) => stderrTail.includes(watchdogMarker(reason)));

export function setSiblings(state: Int32Array<SharedArrayBuffer>, pids: readonly number[]): void {
  const storedPids = pids.slice(0, maxSiblings);
  storedPids.forEach((pid, at) => Atomics.store(state, stateIndex.siblingCount + 1 + at, pid));
  Atomics.store(state, stateIndex.siblingCount, storedPids.length);
}

/** One that was stopped (SIGSTOP) cannot notice by itself that the app is gone. */
export function killSiblings(state: Int32Array<SharedArrayBuffer>): void {
  const count = Math.min(maxSiblings, Atomics.load(state, stateIndex.siblingCount));
  for (let at = 0; at < count; at += 1) kill(Atomics.load(state, stateIndex.siblingCount + 1 + at));
}

export function kill(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
