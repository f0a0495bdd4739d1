// Starts a process with a task that keeps its thread busy (task-child.ts), says its id, and ends without a word to it.

import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChildTask } from "../../main/processes/run-task.ts";
import { createHeadlessPlatform } from "../../main/cli/platform.ts";
import type { TaskCommand } from "./task-child.ts";

const { launchChild } = createHeadlessPlatform(tmpdir());
void runChildTask(
  (options) => {
    const child = launchChild(join(import.meta.dirname, "task-child.ts"), options);
    writeSync(1, `${child.pid}\n`);
    return child;
  },
  { blocks: true } satisfies TaskCommand,
  { signal: new AbortController().signal, timeLimitMs: 600_000 },
);
// The order is on its way, and the process only beginning.
setImmediate(() => process.kill(process.pid, "SIGKILL"));
