// What the main thread of a child process and its watchdog share: a few numbers in memory that both can read at any
// time; and how the app tells from stderr why a watchdog ended its process.

/** Indices into the shared array of 32-bit integers. */
export const field = {
  /** Waited on, never changed. */
  never: 0,
  /** The process is ended above that; 0: not watched. */
  maxMb: 1,
  /** The process is ended where `progress` stays the same for so long; 0: not watched. */
  stallMs: 2,
  progress: 3,
  /** The app's process id; 0: not told. */
  app: 4,
  /** How many other child processes the app has; their ids follow. */
  siblings: 5,
} as const;

const maxSiblings = 64;
export const stateLength = field.siblings + 1 + maxSiblings;

const reasons = ["memory", "stalled", "orphaned"] as const;
export type WatchdogReason = (typeof reasons)[number];

export const endMark = (reason: WatchdogReason): string => `hearsay-watchdog: ${reason}:`;

/** @param stderrTail the last that a process that ended wrote to stderr */
export const watchdogReason = (stderrTail: string): WatchdogReason | undefined =>
  reasons.find((reason) => stderrTail.includes(endMark(reason)));

export function setSiblings(state: Int32Array<SharedArrayBuffer>, pids: readonly number[]): void {
  const kept = pids.slice(0, maxSiblings);
  kept.forEach((pid, at) => Atomics.store(state, field.siblings + 1 + at, pid));
  Atomics.store(state, field.siblings, kept.length);
}

/** One that was stopped (SIGSTOP) cannot notice by itself that the app is gone. */
export function killSiblings(state: Int32Array<SharedArrayBuffer>): void {
  const count = Math.min(maxSiblings, Atomics.load(state, field.siblings));
  for (let at = 0; at < count; at += 1) kill(Atomics.load(state, field.siblings + 1 + at));
}

export function kill(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
