// How the pool places models: each in a process of its runtime, a large one in one process, and none that does not fit
// into memory. With scripted processes (test/support/scripted-child.ts).

import { expect, it, onTestFinished } from "vitest";
import type { InstalledModel } from "../../../../main/contract/models.ts";
import type { Runtime } from "../../../../main/engines/model-runtime.ts";
import {
  createPool,
  type Pool,
  type PoolJob,
  type PoolPolicy,
} from "../../../../main/engines/pool/pool.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import {
  createLauncher,
  isAlive,
  neverAborted,
  quietLog,
  scriptedModule,
} from "../../../support/app.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const mb = 1e6;
const hibari = shippedModel("hibari");
const model = (
  id: string,
  sizeMb: number,
  family: InstalledModel["family"] = "whisper",
): InstalledModel => ({
  ...hibari,
  id,
  family,
  files: [{ name: "weights", sizeBytes: sizeMb * mb, sha256: "" }],
});
const voice = model("voice", 60, "piper");
const large = model("large", 1000);

async function openPool(policy: Partial<PoolPolicy> = {}) {
  const launch = createLauncher(scriptedModule, await openTestFolder());
  const started: Runtime[] = [];
  const pool = createPool(
    (runtime) => {
      started.push(runtime);
      return launch();
    },
    {
      size: 2,
      idleMs: 60_000,
      taskTimeoutMs: 20_000,
      availableBytes: () => 8000 * mb,
      ...policy,
    },
    quietLog,
  );
  onTestFinished(() => pool.close());
  return { pool, started };
}

/** Resolves with the id of the process that ran the task. */
const order = async (
  jobs: Pool | PoolJob,
  used: InstalledModel,
  ...lines: string[]
): Promise<number> => {
  const job = "run" in jobs ? jobs : jobs.job(neverAborted());
  return Number((await job.run("phonemes", { model: used, lines })).join());
};
const hold = (pool: Pool, used: InstalledModel, heldMb: number) =>
  order(
    pool,
    used,
    "hold",
    JSON.stringify({ rssBytes: heldMb * mb, models: { [used.id]: heldMb * mb } }),
  );

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it("starts a process of the model's runtime, and ends a free one of the other where there are too many", async () => {
  const { pool, started } = await openPool({ size: 1 });
  const first = await order(pool, hibari, "pid");
  const second = await order(pool, voice, "pid");
  expect(second).not.toBe(first);
  expect(started).toEqual(["onnxruntime", "sherpa"]);
  await until(() => !isAlive(first));
  expect(await order(pool, voice, "pid")).toBe(second);
});

it("runs a model of the other runtime beside the only process, where that keeps a session", async () => {
  const { pool, started } = await openPool({ size: 1 });
  const pin = pool.job(neverAborted()).pin();
  await pin.run("segment.step", { session: pin.session, windowSec: 1 });
  await order(pool, voice, "pid");
  expect(started).toEqual(["onnxruntime", "sherpa"]);
  expect((await pin.run("segment.step", { session: pin.session, windowSec: 1 })).processedSec).toBe(
    1,
  );
});

it("prefers a session's process only for a model that it can run", async () => {
  const { pool } = await openPool();
  const job = pool.job(neverAborted());
  const pin = job.pin();
  const first = Number((await pin.run("phonemes", { model: hibari, lines: ["pid"] })).join());
  const run = async (used: InstalledModel) =>
    Number((await job.run("phonemes", { model: used, lines: ["pid"] }, pin.session)).join());
  expect(await run(hibari)).toBe(first);
  expect(await run(voice)).not.toBe(first);
});

it("holds a large model in one process, while others work on small ones", async () => {
  const { pool } = await openPool();
  const [pid] = await Promise.all([hold(pool, large, 1000), order(pool, hibari, "spin", "50")]);
  expect(pool.pids()).toHaveLength(2);
  const busy = [1, 2].map(() => order(pool, large, "spin", "500"));
  const last = order(pool, large, "pid");
  const small = await Promise.all([order(pool, hibari, "pid"), order(pool, hibari, "pid")]);
  await Promise.all(busy);
  expect(await last).toBe(pid);
  expect(small).not.toContain(pid);
});

it("replaces a large model by another one where only one process may run", async () => {
  const { pool } = await openPool({ size: 1 });
  const first = await hold(pool, large, 1000);
  const second = await hold(pool, model("larger", 1200), 1200);
  expect(second).not.toBe(first);
  await until(() => !isAlive(first));
});

it("refuses a model that does not fit, and says how much it needs and what would help", async () => {
  const { pool } = await openPool({ availableBytes: () => 700 * mb });
  await expect(order(pool, large, "pid")).rejects.toMatchObject({
    sent: { id: "model.tooLarge" },
    message:
      "The model 'large' needs about 1,400 MB of memory, and 700 MB are free. A smaller model helps, or closing other programs.",
  });
  const limited = await openPool({ memoryLimitBytes: 500 * mb });
  await expect(order(limited.pool, large, "pid")).rejects.toMatchObject({
    sent: { id: "model.tooLarge" },
    message: expect.stringContaining("HEARSAY_MEMORY_MB") as string,
  });
  expect(await hold(limited.pool, hibari, 600)).toBeGreaterThan(0);
});

it("goes by what the model took before, rather than by the size of its files", async () => {
  let availableBytes = 2000 * mb;
  const { pool } = await openPool({ availableBytes: () => availableBytes });
  process.kill(await hold(pool, large, 1900), "SIGKILL");
  await until(() => pool.pids().length === 0);
  availableBytes = 1800 * mb;
  await expect(order(pool, large, "pid")).rejects.toMatchObject({ sent: { id: "model.tooLarge" } });
  const measured = { ...model("known", 1000), measured: { memoryBytes: 900 * mb, measuredAt: 1 } };
  availableBytes = 1000 * mb;
  expect(await order(pool, measured, "pid")).toBeGreaterThan(0);
});

it("frees what nobody uses before it refuses", async () => {
  const pids: number[] = [];
  const { pool } = await openPool({
    availableBytes: () => (pids.every((pid) => !isAlive(pid)) ? 2000 : 900) * mb,
  });
  pids.push(await hold(pool, voice, 1100));
  expect(await order(pool, large, "pid")).not.toBe(pids[0]);
  expect(pids.map(isAlive)).toEqual([false]);
});

it("counts a model that is being loaded", async () => {
  const { pool } = await openPool({ availableBytes: () => 2000 * mb });
  const abort = new AbortController();
  const loading = order(pool.job(abort.signal), large, "hang").catch(() => 0);
  await expect(order(pool, model("other", 1000, "parakeet"), "pid")).rejects.toMatchObject({
    sent: { id: "model.tooLarge" },
  });
  abort.abort();
  await loading;
});

it("ends the processes that hold a removed model as soon as they are free", async () => {
  const { pool } = await openPool();
  const pid = await hold(pool, voice, 60);
  const working = order(pool, voice, "spin", "50");
  pool.unload("voice");
  await working;
  await until(() => !isAlive(pid));
  expect(await order(pool, voice, "pid")).not.toBe(pid);
  const other = await hold(pool, hibari, 60);
  pool.unload("voice");
  expect(await order(pool, hibari, "pid")).toBe(other);
});
