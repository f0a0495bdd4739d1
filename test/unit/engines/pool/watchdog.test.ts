// Real processes with a watchdog (test/support/scripted-child.ts): what ends them, and what their requests see of it.

import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ChildLostError } from "../../../../main/engines/pool/child-lost-error.ts";
import {
  createPool,
  type Pool,
  type PoolJob,
  type PoolPolicy,
} from "../../../../main/engines/pool/pool.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import {
  isAlive,
  createLauncher,
  neverAborted,
  quietLog,
  scriptedModule,
} from "../../../support/app.ts";
import { openTestFolder } from "../../../support/test-data.ts";

async function scriptedPool(policy: Partial<PoolPolicy> = {}): Promise<Pool> {
  const pool = createPool(
    createLauncher(scriptedModule, await openTestFolder()),
    { size: 1, idleMs: 60_000, taskTimeoutMs: 60_000, ...policy },
    quietLog,
  );
  onTestFinished(() => pool.close());
  return pool;
}

const model = shippedModel("hibari");
const order = async (job: Pick<PoolJob, "run">, ...lines: string[]): Promise<string> =>
  (await job.run("phonemes", { model, lines })).join();
const inspect = (pool: Pool, mediaPath: string) =>
  pool.job(neverAborted()).run("duration", { mediaPath, isExact: false });

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it.each(["grow", "block"])(
  "rejects a file whose decoding would %s without end, and does not retry it",
  async (what) => {
    const pool = await scriptedPool();
    const path = join(await openTestFolder(), what);
    await expect(inspect(pool, path)).rejects.toMatchObject({
      key: "undecodable_audio",
      row: { status: 400 },
      param: "file",
    });
    expect(await readFile(path, "utf8")).toBe("x");
    expect(await order(pool.job(neverAborted()), "echo", "the next one")).toBe("the next one");
  },
);

it("lets another request start again elsewhere when a file ended the process with its session", async () => {
  const pool = await scriptedPool();
  const pin = pool.job(neverAborted()).pin();
  const { session } = pin;
  await pin.run("segment.open", {
    session,
    vad: shippedModel("silero-vad"),
    mediaPath: "x",
    pcmPath: "y",
  });
  await expect(inspect(pool, join(await openTestFolder(), "grow"))).rejects.toMatchObject({
    key: "undecodable_audio",
  });
  const lost = await pin
    .run("segment.step", { session, windowSec: 1 })
    .catch((error: unknown) => error);
  expect(lost).toBeInstanceOf(ChildLostError);
  expect((lost as ChildLostError).runningTask).toBeUndefined();
});

it.skipIf(process.platform === "win32")(
  "replaces a process that is stopped, and serves its request with another",
  async () => {
    const pool = await scriptedPool();
    const pid = Number(await order(pool.job(neverAborted()), "pid"));
    process.kill(pid, "SIGSTOP");
    expect(Number(await order(pool.job(neverAborted()), "pid"))).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
  },
);

it("does not blame a request whose process is killed repeatedly", async () => {
  const pool = await scriptedPool();
  const job = pool.job(neverAborted());
  const answer = order(job, "spin", "700");
  for (let kills = 0, last = 0; kills < 3; kills += 1) {
    await until(() => pool.pids().some((pid) => pid !== last));
    last = pool.pids()[0] ?? 0;
    // Kill it in the middle of the task: the start alone takes longer than the task.
    await new Promise((resolve) => setTimeout(resolve, 300));
    process.kill(last, "SIGKILL");
  }
  expect(await answer).toBe("spun");
});

it.skipIf(process.platform === "win32")(
  "leaves no process running when the app is killed, not even one in a native call or a stopped one",
  async () => {
    const app = fork(join(import.meta.dirname, "..", "..", "..", "support", "pool-app.ts"), [], {
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    onTestFinished(() => void app.kill("SIGKILL"));
    const [pids] = (await once(app, "message")) as [
      { blocked: number; idle: number; stopped: number },
    ];
    process.kill(pids.stopped, "SIGSTOP");
    app.kill("SIGKILL");
    await until(() => !Object.values(pids).some(isAlive));
    expect(Object.values(pids)).toHaveLength(3);
  },
);
