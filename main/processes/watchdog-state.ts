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

/**
 * A process stopped by SIGSTOP cannot notice that the app is gone. All are continued before the first one is killed:
 * siblings may kill each other before one of them has reached the end of the list, and a continued process ends by
 * itself.
 */
export function killSiblings(state: Int32Array<SharedArrayBuffer>): void {
  const count = Math.min(maxSiblings, Atomics.load(state, stateIndex.siblingCount));
  const pids = Array.from({ length: count }, (_, at) =>
    Atomics.load(state, stateIndex.siblingCount + 1 + at),
  );
  for (const signal of ["SIGCONT", "SIGKILL"] as const)
    for (const pid of pids) sendSignal(pid, signal);
}

export function sendSignal(pid: number, signal: "SIGCONT" | "SIGKILL"): void {
  try {
    if (pid > 1) process.kill(pid, signal);
  } catch {
    // The process has already exited, or the system (Windows) has no such signal.
  }
}
