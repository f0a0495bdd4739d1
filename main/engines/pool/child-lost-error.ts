// What is thrown where an engine process ended before it had answered. Whether to begin again is for whoever
// asked to say.

import type { TaskName } from "./protocol.ts";

export class ChildLostError extends Error {
  override readonly name = "ChildLost";
  /** What the child was doing for whoever gets this; undefined where it ended over another's task, idle, or before it began. */
  readonly runningTask: TaskName | undefined;

  constructor(exitReason: string, runningTask?: TaskName) {
    super(exitReason);
    this.runningTask = runningTask;
  }
}
