// Starts a process whose task keeps its thread busy (task-child.ts), prints its id, and kills itself without notice to
// it.

import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChildTask } from "../../main/processes/run-task.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import type { TaskCommand } from "./task-child.ts";

const { launchChild } = createNodePlatform(tmpdir());
void runChildTask(
  (options) => {
    const child = launchChild(join(import.meta.dirname, "task-child.ts"), options);
    writeSync(1, `${child.pid}\n`);
    return child;
  },
  { blocks: true } satisfies TaskCommand,
  { signal: new AbortController().signal, timeLimitMs: 600_000 },
);
// At this time the command has been sent and the child process is still starting.
setImmediate(() => process.kill(process.pid, "SIGKILL"));
