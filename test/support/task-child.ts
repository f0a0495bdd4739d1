// A process with one task for tests of run-task.ts: does as it is told.

import { setTimeout as pause } from "node:timers/promises";
import { serveTask } from "../../main/processes/serve-task.ts";
import { AppError } from "../../main/contract/errors.ts";

export type TaskOrder =
  | { say: string }
  | { refuse: "invalid_request" | "other" }
  | { holdMb: number }
  | { blocks: true }
  | { steps: number; stepMs: number };

serveTask<TaskOrder, number>(async (order, onProgress) => {
  if ("say" in order) return order.say;
  if ("refuse" in order)
    throw order.refuse === "other"
      ? new Error("as told")
      : new AppError(order.refuse, "as told", { param: "file" });
  if ("holdMb" in order) {
    const held: Buffer[] = [];
    // In a thread that does nothing else: only a watchdog sees it.
    while (held.length < order.holdMb / 4) held.push(Buffer.alloc(4e6, 1));
    return "held";
  }
  if ("blocks" in order) for (;;);
  for (let step = 0; step < order.steps; step += 1) {
    onProgress(step);
    await pause(order.stepMs);
  }
  return "stepped";
});
