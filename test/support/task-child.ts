// A process with one scripted task, for tests of run-task.ts.

import { setTimeout as pause } from "node:timers/promises";
import { serveTask } from "../../main/processes/serve-task.ts";
import { appError } from "./app-error.ts";

export type TaskCommand =
  | { echo: string }
  | { refuse: "invalid_request" | "other" }
  | { holdMb: number }
  | { blocks: true }
  | { steps: number; stepMs: number };

serveTask<TaskCommand, number>(async (command, onProgress) => {
  if ("echo" in command) return command.echo;
  if ("refuse" in command)
    throw command.refuse === "other"
      ? new Error("scripted failure")
      : appError(command.refuse, "scripted failure", { param: "file" });
  if ("holdMb" in command) {
    const allocated: Buffer[] = [];
    // Blocks the thread meanwhile, so that only a watchdog can notice.
    while (allocated.length < command.holdMb / 4) allocated.push(Buffer.alloc(4e6, 1));
    return "held";
  }
  if ("blocks" in command) for (;;);
  for (let step = 0; step < command.steps; step += 1) {
    onProgress(step);
    await pause(command.stepMs);
  }
  return "stepped";
});
