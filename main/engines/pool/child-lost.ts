// What is thrown where an engine process ended before it had answered. Whether to begin again is for whoever
// asked to say.

import type { TaskName } from "./protocol.ts";

export class ChildLost extends Error {
  override readonly name = "ChildLost";
  /** What the child was doing for whoever gets this; undefined where it ended over another's task, idle, or before it began. */
  readonly during: TaskName | undefined;

  constructor(why: string, during?: TaskName) {
    super(why);
    this.during = during;
  }
}
