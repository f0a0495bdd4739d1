// A model goes on with the CPU if another execution provider fails, as after a driver was updated.

import { AppError } from "../../contract/errors.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import type { InstalledModel } from "../../contract/models.ts";
import { installationOf, providerOf } from "../model-runtime.ts";
import type { Pool } from "./pool.ts";
import type { TaskInput, TaskName } from "./protocol.ts";
import { taskModel } from "./task-model.ts";
import { wrapTasks } from "./wrap-tasks.ts";

/**
 * Runs a task again on the CPU if it failed with another provider. If that works, the provider was the cause, and is
 * not used until the model is measured again.
 * @param onProviderFailed called once, before the task's caller has the result
 */
export function withCpuFallback(
  pool: Pool,
  onProviderFailed: (model: InstalledModel, reason: SentMessage) => void,
): Pool {
  /** Running requests keep the model that they began with, which names the provider still. */
  const failed = new Set<string>();

  async function run<Input extends TaskInput<TaskName>, Result>(
    input: Input,
    runTask: (input: Input) => Promise<Result>,
  ): Promise<Result> {
    const model = taskModel(input);
    if (model === undefined || providerOf(model) === "cpu") return runTask(input);
    const onCpu = { ...input, model: { ...model, provider: "cpu" } };
    const choice = choiceOf(model);
    if (failed.has(choice)) return runTask(onCpu);
    try {
      return await runTask(input);
    } catch (error) {
      if (!(error instanceof AppError) || !isEngineFailure(error)) throw error;
      const result = await runTask(onCpu);
      if (!failed.has(choice)) {
        failed.add(choice);
        onProviderFailed(model, error.sent);
      }
      return result;
    }
  }

  return wrapTasks(pool, run);
}

const engineFailures: readonly (string | undefined)[] = [
  "model.notLoadable",
  "engine.partFailed",
  "engine.exceedsMemory",
];
const isEngineFailure = ({ sent }: AppError): boolean => engineFailures.includes(sent.id);

/** Differs once the model was measured again. */
const choiceOf = (model: InstalledModel): string =>
  [installationOf(model), providerOf(model), model.measured?.measuredAt].join(" ");
