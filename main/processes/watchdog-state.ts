// Memory shared by the main thread of a child process and its watchdog, and the stderr marker by which the app learns
// why a watchdog ended the process.

/** Indices into the shared array of 32-bit integers. */
export const stateIndex = {
  /** Used only for Atomics.wait; never changes. */
  waitCell: 0,
  /** Memory limit; 0: none. */
  maxMb: 1,
  /** The process is ended if `progress` does not change for this long; 0: never. */
  stallMs: 2,
  progress: 3,
  /** The app's process id; 0: unknown. */
  appPid: 4,
  /** Number of sibling processes; their ids follow. */
  siblingCount: 5,
} as const;

const maxSiblings = 64;
export const stateLength = stateIndex.siblingCount + 1 + maxSiblings;

const reasons = ["memory", "stalled", "orphaned"] as const;
export type WatchdogReason = (typeof reasons)[number];

export const watchdogMarker = (reason: WatchdogReason): string => `hearsay-watchdog: ${reason}:`;

/** @param stderrTail last stderr output of a process that exited */
export const watchdogReason = (stderrTail: string): WatchdogReason | undefined =>
  reasons.find((reason) => stderrTail.includes(watchdogMarker(reason)));

export function setSiblings(state: Int32Array<SharedArrayBuffer>, pids: readonly number[]): void {
  const storedPids = pids.slice(0, maxSiblings);
  storedPids.forEach((pid, at) => Atomics.store(state, stateIndex.siblingCount + 1 + at, pid));
  Atomics.store(state, stateIndex.siblingCount, storedPids.length);
}

/** A process stopped by SIGSTOP cannot notice that the app is gone. */
export function killSiblings(state: Int32Array<SharedArrayBuffer>): void {
  const count = Math.min(maxSiblings, Atomics.load(state, stateIndex.siblingCount));
  for (let at = 0; at < count; at += 1) kill(Atomics.load(state, stateIndex.siblingCount + 1 + at));
}

export function kill(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // The process has already exited.
  }
}
