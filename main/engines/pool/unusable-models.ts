// Reports models that a task could not use: their files are missing, changed or unreadable, or cannot be loaded.

import { AppError } from "../../contract/errors.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { Pool } from "./pool.ts";
import { taskModel } from "./task-model.ts";
import { wrapTasks } from "./wrap-tasks.ts";

/** @param onUnusable called before the task's caller sees the error */
export function reportUnusableModels(
  pool: Pool,
  onUnusable: (model: InstalledModel, reason: SentMessage) => void,
): Pool {
  return wrapTasks(pool, async (input, run) => {
    try {
      return await run(input);
    } catch (error) {
      if (error instanceof AppError && error.key === "model_unusable") {
        const model = taskModel(input);
        if (model !== undefined && error.sent.params?.["model"] === model.id)
          onUnusable(model, error.sent);
      }
      throw error;
    }
  });
}
