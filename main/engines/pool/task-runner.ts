// How the tasks of a job are run: on any child, or on one that keeps state for it.

import type { TaskInput, TaskName, TaskResult } from "./protocol.ts";

export type TaskRunner = {
  /**
   * Runs on any child; retried once if the child is lost or the engine fails.
   * @param preferredSession a pin's session: its child runs this task too, unless it is gone
   */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    preferredSession?: string,
  ): Promise<TaskResult<Name>>;
  /** A child that keeps state for this job until released. Rejects with ChildLostError once that child is gone. */
  pin(): PinnedChild;
};

export type PinnedChild = {
  /** Identifies the state that the child keeps for this pin. */
  readonly session: string;
  run<Name extends TaskName>(name: Name, input: TaskInput<Name>): Promise<TaskResult<Name>>;
  /** Makes the child discard the session's state. */
  release(): void;
};
