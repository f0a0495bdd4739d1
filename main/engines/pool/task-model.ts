// What a task needs of the process that runs it.

import { familyRuntime, isLargeModel, type Runtime } from "../model-runtime.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { TaskInput, TaskName } from "./protocol.ts";

/** The model that a task transcribes or speaks with; none for media. */
export const taskModel = (input: TaskInput<TaskName>): InstalledModel | undefined =>
  "model" in input ? input.model : undefined;

/** Media are decoded and encoded beside onnxruntime. */
export function taskRuntime(input: TaskInput<TaskName>): Runtime {
  const model = taskModel(input);
  if (model === undefined) return "onnxruntime";
  return familyRuntime(model.family);
}

/** The model of a task that only one process may hold. */
export function largeModelOf(input: TaskInput<TaskName>): InstalledModel | undefined {
  const model = taskModel(input);
  return model !== undefined && isLargeModel(model) ? model : undefined;
}
