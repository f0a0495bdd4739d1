// Reports models that a task could not use: their files are missing, changed or unreadable.

import { AppError } from "../../contract/errors.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import type { Pool } from "./pool.ts";

/** @param onUnusable called before the task's caller sees the error */
export function reportUnusableModels(
  pool: Pool,
  onUnusable: (modelId: string, reason: SentMessage) => void,
): Pool {
  async function watch<Result>(task: Promise<Result>): Promise<Result> {
    try {
      return await task;
    } catch (error) {
      if (error instanceof AppError && error.key === "model_unusable") {
        const model = error.sent.params?.["model"];
        if (typeof model === "string") onUnusable(model, error.sent);
      }
      throw error;
    }
  }

  return {
    ...pool,
    job(signal) {
      const job = pool.job(signal);
      return {
        run: (name, input, preferredSession) => watch(job.run(name, input, preferredSession)),
        pin() {
          const pinned = job.pin();
          return { ...pinned, run: (name, input) => watch(pinned.run(name, input)) };
        },
      };
    },
  };
}
