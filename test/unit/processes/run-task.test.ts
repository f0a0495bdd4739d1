// Real child processes with one task (test/support/task-child.ts).

import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  ChildTaskLostError,
  type ChildTaskOptions,
  runChildTask,
} from "../../../main/processes/run-task.ts";
import { createNodePlatform } from "../../../main/cli/platform.ts";
import type { ChildOptions, ChildPort } from "../../../main/platform.ts";
import { isAlive, neverAborted } from "../../support/app.ts";
import { isRunning, canListProcesses } from "../../support/child-processes.ts";
import type { TaskCommand } from "../../support/task-child.ts";

const module = join(import.meta.dirname, "..", "..", "support", "task-child.ts");
const { launchChild } = createNodePlatform(tmpdir());

async function run(
  order: TaskCommand,
  options: Partial<ChildTaskOptions> = {},
): Promise<{ result: unknown; pid: number; options: ChildOptions }> {
  let child: ChildPort | undefined;
  let given: ChildOptions = {};
  const launch = (childOptions: ChildOptions): ChildPort => {
    given = childOptions;
    return (child = launchChild(module, childOptions));
  };
  const result = await runChildTask(launch, order, {
    signal: neverAborted(),
    timeLimitMs: 30_000,
    ...options,
  }).catch((error: unknown) => error);
  return { result, pid: child?.pid ?? 0, options: given };
}

it("resolves with the result after the process has exited", async () => {
  const { result, pid, options } = await run({ echo: "done" });
  expect(result).toBe("done");
  expect(isAlive(pid)).toBe(false);
  expect(options).toEqual({ maxHeapMb: 768 });
});

it("rejects with the error of the task", async () => {
  expect((await run({ refuse: "invalid_request" })).result).toMatchObject({
    key: "invalid_request",
    message: "scripted failure",
    param: "file",
  });
  expect((await run({ refuse: "other" })).result).toMatchObject({
    name: "Error",
    message: expect.stringContaining("scripted failure") as unknown,
  });
});

it("ends a process whose memory outside the heap exceeds its limit", async () => {
  const { result, pid } = await run({ holdMb: 600 }, { maxMb: 300 });
  expect(result).toBeInstanceOf(ChildTaskLostError);
  expect(result).toMatchObject({
    hasTimedOut: false,
    message: expect.stringContaining("300 MB allowed") as unknown,
  });
  expect(isAlive(pid)).toBe(false);
  expect((await run({ holdMb: 10 }, { maxMb: 300 })).result).toBe("held");
});

it("kills a process without a heartbeat, even one whose thread is busy", async () => {
  const { result, pid } = await run({ blocks: true }, { timeLimitMs: 1500 });
  expect(result).toMatchObject({ name: "ChildTaskLost", hasTimedOut: true });
  expect(isAlive(pid)).toBe(false);
});

it("extends the time limit of a process that reports progress", async () => {
  const progressValues: unknown[] = [];
  const { result } = await run(
    { steps: 12, stepMs: 250 },
    { timeLimitMs: 2500, onProgress: (progress) => progressValues.push(progress) },
  );
  expect(result).toBe("stepped");
  expect(progressValues).toHaveLength(12);
});

it("kills the process when the task is aborted", async () => {
  const gone = new AbortController();
  const { result, pid } = await run(
    { steps: 1, stepMs: 60_000 },
    { signal: gone.signal, onProgress: () => gone.abort(new Error("left")) },
  );
  expect(result).toMatchObject({ message: "left" });
  expect(isRunning(pid)).toBe(false);
  await expect(
    runChildTask(() => expect.unreachable(), {}, { signal: gone.signal, timeLimitMs: 1 }),
  ).rejects.toThrow("left");
});

it.runIf(canListProcesses)(
  "ends with the app, even if the app ends before the process has started",
  async () => {
    const host = join(import.meta.dirname, "..", "..", "support", "task-host.ts");
    const pid = Number(
      await new Promise<string>(
        (resolve) => void execFile(process.execPath, [host], (_, stdout) => resolve(stdout)),
      ),
    );
    expect(pid).toBeGreaterThan(0);
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid, "SIGKILL");
    });
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  },
  30_000,
);
