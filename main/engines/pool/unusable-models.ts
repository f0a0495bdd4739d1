// Reports models that a task could not use: their files are missing, changed or unreadable, or cannot be loaded.

import { AppError } from "../../contract/errors.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { Pool } from "./pool.ts";
import type { TaskInput, TaskName } from "./protocol.ts";
import { taskModel } from "./task-model.ts";

/** @param onUnusable called before the task's caller sees the error */
export function reportUnusableModels(
  pool: Pool,
  onUnusable: (model: InstalledModel, reason: SentMessage) => void,
): Pool {
  async function watch<Result>(input: TaskInput<TaskName>, task: Promise<Result>): Promise<Result> {
    try {
      return await task;
    } catch (error) {
      if (error instanceof AppError && error.key === "model_unusable") {
        const model = taskModel(input);
        if (model !== undefined && error.sent.params?.["model"] === model.id)
          onUnusable(model, error.sent);
      }
      throw error;
    }
  }

  return {
    ...pool,
    job(signal) {
      const job = pool.job(signal);
      return {
        run: (name, input, preferredSession) =>
          watch(input, job.run(name, input, preferredSession)),
        pin() {
          const pinned = job.pin();
          return { ...pinned, run: (name, input) => watch(input, pinned.run(name, input)) };
        },
      };
    },
  };
}
