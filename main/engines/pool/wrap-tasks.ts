// A pool that does something around each task of another one.

import type { Pool } from "./pool.ts";
import { createPoolJob } from "./pool-job.ts";
import type { TaskInput, TaskName } from "./protocol.ts";

/** @param run runs the task, with its own input or a changed one */
export type AroundTask = <Input extends TaskInput<TaskName>, Result>(
  input: Input,
  run: (input: Input) => Promise<Result>,
) => Promise<Result>;

export const wrapTasks = (pool: Pool, around: AroundTask): Pool => ({
  ...pool,
  job(signal) {
    const job = pool.job(signal);
    return createPoolJob({
      run: (name, input, preferredSession) =>
        around(input, (changed) => job.run(name, changed, preferredSession)),
      pin() {
        const pinned = job.pin();
        return {
          ...pinned,
          run: (name, input) => around(input, (changed) => pinned.run(name, changed)),
        };
      },
    });
  },
});
