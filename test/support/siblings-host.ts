// Starts two processes as an app does, prints their ids, stops one (SIGSTOP) once both are working, and kills itself
// without notice to them.

import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChildTask } from "../../main/processes/run-task.ts";
import { createSiblingLauncher } from "../../main/processes/sibling-launcher.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import type { ChildPort } from "../../main/platform.ts";
import type { TaskCommand } from "./task-child.ts";

const launchChild = createSiblingLauncher(createNodePlatform(tmpdir()).launchChild);
const minSteps = 5;

function startTask(): { child: Promise<ChildPort>; started: Promise<void> } {
  const child = Promise.withResolvers<ChildPort>();
  const startedSignal = Promise.withResolvers<void>();
  void runChildTask(
    (options) => {
      const launched = launchChild(join(import.meta.dirname, "task-child.ts"), options);
      child.resolve(launched);
      return launched;
    },
    { steps: 10_000, stepMs: 50 } satisfies TaskCommand,
    {
      signal: new AbortController().signal,
      timeLimitMs: 600_000,
      onProgress: (step) => step === minSteps && startedSignal.resolve(),
    },
  );
  return { child: child.promise, started: startedSignal.promise };
}

const [runningTask, stopped] = [startTask(), startTask()];
await Promise.all([runningTask.started, stopped.started]);
const pids = [(await runningTask.child).pid ?? 0, (await stopped.child).pid ?? 0] as const;
process.kill(pids[1], "SIGSTOP");
writeSync(1, `${pids.join(" ")}\n`);
process.kill(process.pid, "SIGKILL");
