// Thrown when a child process ended before it responded. The caller decides whether to retry.

import type { WatchdogReason } from "../../processes/watchdog-state.ts";
import type { TaskName } from "./protocol.ts";

export class ChildLostError extends Error {
  override readonly name = "ChildLost";
  /**
   * The caller's task that was running; undefined if the child ended during another caller's task, while idle, or
   * before the task started.
   */
  readonly runningTask: TaskName | undefined;

  constructor(exitReason: string, runningTask?: TaskName) {
    super(exitReason);
    this.runningTask = runningTask;
  }

  /** Its watchdog ended it. */
  get exceededMemory(): boolean {
    return this.message === ("memory" satisfies WatchdogReason);
  }
}
