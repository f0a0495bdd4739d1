// Starts two processes as an app does, says their ids, stops one of them once both are at work, and ends without a word.

import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChildTask } from "../../main/processes/run-task.ts";
import { withSiblings } from "../../main/processes/siblings.ts";
import { createHeadlessPlatform } from "../../main/cli/platform.ts";
import type { ChildPort } from "../../main/platform.ts";
import type { TaskOrder } from "./task-child.ts";

const launchChild = withSiblings(createHeadlessPlatform(tmpdir()).launchChild);
const stepsSeen = 5;

function startTask(): { child: Promise<ChildPort>; isAtWork: Promise<void> } {
  const child = Promise.withResolvers<ChildPort>();
  const atWork = Promise.withResolvers<void>();
  void runChildTask(
    (options) => {
      const launched = launchChild(join(import.meta.dirname, "task-child.ts"), options);
      child.resolve(launched);
      return launched;
    },
    { steps: 10_000, stepMs: 50 } satisfies TaskOrder,
    {
      signal: new AbortController().signal,
      timeLimitMs: 600_000,
      onProgress: (step) => step === stepsSeen && atWork.resolve(),
    },
  );
  return { child: child.promise, isAtWork: atWork.promise };
}

const [awake, stopped] = [startTask(), startTask()];
await Promise.all([awake.isAtWork, stopped.isAtWork]);
const pids = [(await awake.child).pid ?? 0, (await stopped.child).pid ?? 0] as const;
process.kill(pids[1], "SIGSTOP");
writeSync(1, `${pids.join(" ")}\n`);
process.kill(process.pid, "SIGKILL");
