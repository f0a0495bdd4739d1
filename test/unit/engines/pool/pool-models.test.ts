// How the pool places models: each in a process of its runtime, a large one in one process, and none that does not fit
// into memory. With scripted processes (test/support/scripted-child.ts).

import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AppError } from "../../../../main/contract/errors.ts";
import type { InstalledModel } from "../../../../main/contract/models.ts";
import type { Runtime } from "../../../../main/engines/model-runtime.ts";
import type { ChildPort } from "../../../../main/platform.ts";
import type { FromChild } from "../../../../main/engines/pool/protocol.ts";
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

async function openPool(
  policy: Partial<PoolPolicy> = {},
  wrap: (port: ChildPort) => ChildPort = (port) => port,
) {
  const launch = createLauncher(scriptedModule, await openTestFolder());
  const started: Runtime[] = [];
  const pool = createPool(
    (runtime) => {
      started.push(runtime);
      return wrap(launch());
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
const hold = (pool: Pool | PoolJob, used: InstalledModel, heldMb: number) =>
  order(
    pool,
    used,
    "hold",
    JSON.stringify({ rssBytes: heldMb * mb, models: { [used.id]: heldMb * mb } }),
  );

/** As `hold`, besides the models that the process has. */
const add = (job: PoolJob, used: InstalledModel, heldMb: number) =>
  order(job, used, "add", JSON.stringify({ [used.id]: heldMb * mb }));

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

describe("a model that computes tasks side by side", () => {
  const speaker = model("speaker", 1000, "kokoro-compact");

  it("runs as many of them in its process as it does at once", async () => {
    const { pool } = await openPool();
    const controller = new AbortController();
    const hanging = order(pool.job(controller.signal), speaker, "hangLoaded");
    const pid = await order(pool, speaker, "pid");
    expect(await order(pool, speaker, "pid")).toBe(pid);
    const both = [hanging, order(pool.job(controller.signal), speaker, "hangLoaded")];
    const third = order(pool, speaker, "pid");
    controller.abort();
    await expect(Promise.all(both)).rejects.toThrow("aborted");
    expect(await third).toBe(pid);
  });

  it("lets a task go first that waits for its process", async () => {
    const { pool } = await openPool({ size: 1, largeModelThreads: 2 });
    const job = pool.job(neverAborted());
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    await order(job, speaker, "pid");
    await Promise.all([
      order(job, speaker, "spin", "100"),
      order(pool, hibari, "pid").then(note("small")),
      order(job, speaker, "pid").then(note("beside")),
    ]);
    expect(ended).toEqual(["small", "beside"]);
  });

  it("tries each of them once more when its process is lost", async () => {
    const { pool } = await openPool();
    const job = pool.job(neverAborted());
    await order(job, speaker, "pid");
    const lines = ["crashOnce", join(await openTestFolder(), "crashed")];
    const run = () => job.run("phonemes", { model: speaker, lines });
    expect(await Promise.all([run(), run()])).toEqual([["survived"], ["survived"]]);
  });
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

const needing = (memoryMb: number): InstalledModel => ({
  ...large,
  measured: { memoryBytes: memoryMb * mb, measuredAt: 1 },
});

it("goes by what the model took before, but by its files and the catalog at least", async () => {
  const tooLarge = { sent: { id: "model.tooLarge" } };
  const wide = await openPool({ availableBytes: () => 1800 * mb });
  await expect(order(wide.pool, needing(1900), "pid")).rejects.toMatchObject(tooLarge);
  const narrow = await openPool({ availableBytes: () => 900 * mb });
  await expect(order(narrow.pool, needing(0), "pid")).rejects.toMatchObject(tooLarge);
  // It grows at work.
  const growing = {
    ...voice,
    memoryBytes: 1000 * mb,
    measured: { memoryBytes: 100 * mb, measuredAt: 1 },
  };
  await expect(order(narrow.pool, growing, "pid")).rejects.toMatchObject(tooLarge);
  const exact = await openPool({ availableBytes: () => 1000 * mb });
  expect(await order(exact.pool, needing(900), "pid")).toBeGreaterThan(0);
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

it("ends the process that was unused for the longest time first", async () => {
  let first: number | undefined;
  const { pool } = await openPool({
    size: 3,
    availableBytes: () => (first !== undefined && !isAlive(first) ? 1400 : 900) * mb,
  });
  first = await hold(pool, model("one", 310, "parakeet"), 500);
  const second = await hold(pool, model("two", 310, "parakeet"), 800);
  await order(pool, large, "pid");
  expect([first, second].map(isAlive)).toEqual([false, true]);
});

it("replaces the only process by a new one, where that frees enough", async () => {
  let first: number | undefined;
  const { pool } = await openPool({
    size: 1,
    availableBytes: () => (first !== undefined && !isAlive(first) ? 1000 : 400) * mb,
  });
  first = await hold(pool, model("one", 200), 600);
  expect(await order(pool, model("two", 290), "pid")).not.toBe(first);
  expect(isAlive(first)).toBe(false);
});

/** A task on a large model that goes on until it is ended; the process holds 1000 MB, of 1700 MB. */
async function openBusyPool(command: "hang" | "hangLoaded", policy: Partial<PoolPolicy> = {}) {
  let pid: number | undefined;
  const opened = await openPool({
    availableBytes: () => (pid !== undefined && isAlive(pid) ? 700 : 1700) * mb,
    ...policy,
  });
  pid = await hold(opened.pool, large, 1000);
  const abort = new AbortController();
  const working = order(opened.pool.job(abort.signal), large, command).catch(() => 0);
  onTestFinished(() => abort.abort());
  async function endWork(): Promise<void> {
    abort.abort();
    await working;
  }
  return { ...opened, pid, endWork };
}
const other = model("other", 1000, "parakeet");

it("lets a task wait for memory that running tasks will free", async () => {
  const { pool, pid, endWork } = await openBusyPool("hangLoaded");
  const waiting = order(pool, other, "pid");
  // A later task goes on meanwhile.
  await order(pool, voice, "pid");
  expect(isAlive(pid)).toBe(true);
  await endWork();
  expect(await waiting).toBeGreaterThan(0);
  expect(isAlive(pid)).toBe(false);
});

it("refuses a model at once that does not fit even when all running tasks have ended", async () => {
  const { pool } = await openBusyPool("hangLoaded");
  await expect(order(pool, model("largest", 3000, "parakeet"), "pid")).rejects.toMatchObject({
    sent: { id: "model.tooLarge" },
  });
});

it("does not let a task wait for the process that its own request keeps", async () => {
  let pid: number | undefined;
  const { pool } = await openPool({ availableBytes: () => (pid === undefined ? 1700 : 700) * mb });
  const job = pool.job(neverAborted());
  const pin = job.pin();
  const held = JSON.stringify({ rssBytes: 1000 * mb, models: { [hibari.id]: mb } });
  pid = Number((await pin.run("phonemes", { model: hibari, lines: ["hold", held] })).join());
  await expect(order(job, other, "pid")).rejects.toMatchObject({ sent: { id: "model.tooLarge" } });
  const waiting = order(pool, other, "pid");
  process.kill(pid, "SIGKILL");
  pid = undefined;
  expect(await waiting).toBeGreaterThan(0);
});

it("does not let two tasks wait for each other's sessions", async () => {
  let pids: readonly number[] = [];
  const { pool } = await openPool({
    availableBytes: () => (700 + 700 * pids.filter((pid) => !isAlive(pid)).length) * mb,
  });
  const jobs = [1, 2].map(() => pool.job(neverAborted()));
  const pins = jobs.map((job) => job.pin());
  const held = JSON.stringify({ rssBytes: 700 * mb, models: { [hibari.id]: mb } });
  pids = await Promise.all(
    pins.map(async (pin) =>
      Number((await pin.run("phonemes", { model: hibari, lines: ["hold", held] })).join()),
    ),
  );
  const outcomes = await Promise.all(
    jobs.map((job, index) =>
      order(job, other, "pid").then(
        () => "loaded",
        (error: AppError) => {
          pins[index]?.release();
          return error.sent.id;
        },
      ),
    ),
  );
  expect(outcomes.sort()).toEqual(["loaded", "model.tooLarge"]);
});

it("counts a model while it is being loaded", async () => {
  const { pool } = await openPool({ availableBytes: () => 2000 * mb });
  const abort = new AbortController();
  const working = order(pool.job(abort.signal), large, "hang").catch(() => 0);
  let isDone = false;
  const loading = order(pool, other, "pid").then(() => (isDone = true));
  await order(pool, voice, "pid");
  await order(pool, voice, "pid");
  expect(isDone).toBe(false);
  abort.abort();
  await Promise.all([working, loading]);
});

it("counts a model no longer once it is loaded, while its task goes on", async () => {
  const { pool } = await openPool({ availableBytes: () => 2000 * mb });
  const abort = new AbortController();
  const working = order(pool.job(abort.signal), large, "hangLoaded").catch(() => 0);
  expect(await order(pool, other, "pid")).toBeGreaterThan(0);
  abort.abort();
  await working;
});

it("ends the processes that hold a removed model as soon as they are free", async () => {
  const { pool } = await openPool();
  const pid = await hold(pool, voice, 60);
  const working = order(pool, voice, "spin", "50");
  pool.unload("voice");
  await working;
  await until(() => !isAlive(pid));
  expect(await order(pool, voice, "pid")).not.toBe(pid);
  const heldBy = await hold(pool, hibari, 60);
  pool.unload("voice");
  expect(await order(pool, hibari, "pid")).toBe(heldBy);
});

it("ends a process that was loading a model when it was removed", async () => {
  const { pool } = await openPool();
  const old = order(pool, voice, "pid");
  pool.unload("voice");
  expect(await order(pool, voice, "pid")).not.toBe(await old);
});

it("gives no further task to a process with a removed model that keeps a session", async () => {
  const { pool } = await openPool();
  const pin = pool.job(neverAborted()).pin();
  const pid = Number((await pin.run("phonemes", { model: large, lines: ["pid"] })).join());
  pool.unload("large");
  expect(await order(pool, large, "pid")).not.toBe(pid);
  expect(isAlive(pid)).toBe(true);
});

it("starts a process of another runtime beside one that only keeps a session, also within a memory limit", async () => {
  const { pool } = await openPool({ memoryLimitBytes: 4000 * mb });
  const pin = pool.job(neverAborted()).pin();
  await pin.run("segment.step", { session: pin.session, windowSec: 1 });
  expect(await order(pool, voice, "pid")).toBeGreaterThan(0);
  // The same where the one with the session leaves no room.
  const small = await openPool({ memoryLimitBytes: 1000 * mb });
  const pid = await hold(small.pool, hibari, 600);
  const pinned = small.pool.job(neverAborted()).pin();
  await pinned.run("segment.step", { session: pinned.session, windowSec: 1 });
  expect(await order(small.pool, voice, "pid")).not.toBe(pid);
  expect(isAlive(pid)).toBe(true);
});

it("ends a free process of the other runtime where a memory limit admits only one", async () => {
  const { pool } = await openPool({ memoryLimitBytes: 1000 * mb });
  const pid = await hold(pool, hibari, 600);
  expect(await order(pool, voice, "pid")).toBeGreaterThan(0);
  expect(isAlive(pid)).toBe(false);
});

it("does not let a request wait for all tasks of another one that need another runtime", async () => {
  const { pool } = await openPool({ memoryLimitBytes: 1000 * mb });
  await hold(pool, hibari, 600);
  let done = 0;
  const long = pool.job(neverAborted());
  const all = Array.from({ length: 10 }, async () => {
    await order(long, hibari, "pid");
    done += 1;
  });
  await order(pool, voice, "pid");
  expect(done).toBeLessThan(10);
  await Promise.all(all);
});

it.for<[string, InstalledModel[], Partial<PoolPolicy>]>([
  ["small models of one runtime", [hibari, model("small", 60)], { memoryLimitBytes: 1000 * mb }],
  ["different runtimes", [hibari, voice], { memoryLimitBytes: 1000 * mb }],
  ["large models", [large, model("second", 1000)], { memoryLimitBytes: 1500 * mb }],
  ["large models of different runtimes", [large, other], { memoryLimitBytes: 1500 * mb }],
])(
  "lets two long requests take turns where there is room for one process: %s",
  async ([, used, policy]) => {
    let clockMs = 1;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => clockMs);
    onTestFinished(() => clock.mockRestore());
    const { pool, started } = await openPool(policy, (port) => ({
      ...port,
      onMessage: (listener) =>
        port.onMessage((message) => {
          // Starting a process takes ten seconds, and a task one.
          clockMs += { ready: 10_000, started: 1000 }[(message as FromChild).type as string] ?? 0;
          listener(message);
        }),
    }));
    const heldMb = used.includes(large) ? 1000 : 600;
    await Promise.all(
      used.map(async (each) => {
        const job = pool.job(neverAborted());
        for (let turn = 0; turn < 10; turn += 1)
          await Promise.all([1, 2].map(() => add(job, each, heldMb)));
      }),
    );
    expect(started.length).toBeLessThan(10);
  },
);

it("loads a second large model within a memory limit", async () => {
  const { pool } = await openPool({ memoryLimitBytes: 8000 * mb });
  const first = await hold(pool, large, 1000);
  expect(await order(pool, model("second", 1000), "pid")).not.toBe(first);
  expect(isAlive(first)).toBe(true);
});

it("starts one process more for a runtime that has none, while all others are busy", async () => {
  const { pool } = await openPool({ size: 1 });
  const abort = new AbortController();
  const working = order(pool.job(abort.signal), hibari, "hang").catch(() => 0);
  expect(await order(pool, voice, "pid")).toBeGreaterThan(0);
  abort.abort();
  await working;
});

it("loses no more than two processes to a model that cannot be loaded, until it is installed again", async () => {
  const { pool, started } = await openPool();
  const refusal = {
    key: "model_unusable",
    sent: { id: "model.notLoadable", params: { model: "voice" } },
    message: expect.stringContaining("exited with code 7") as string,
  };
  await expect(order(pool, voice, "crashLoading")).rejects.toMatchObject(refusal);
  expect(started).toHaveLength(2);
  await expect(order(pool, voice, "pid")).rejects.toMatchObject(refusal);
  expect(await order(pool, { ...voice, installedAt: 1 }, "pid")).toBeGreaterThan(0);
});

it.each([
  ["exceedMemoryLoading", "voice cannot be loaded: it takes far more memory than"],
  ["exceedMemory", "voice took far more memory than"],
])(
  "says of a small file that takes far too much memory what is wrong: %s",
  async (command, text) => {
    const { pool } = await openPool();
    await expect(order(pool, voice, command)).rejects.toMatchObject({
      message: `${text} a model of its size should.`,
    });
  },
);

it("does not blame a model that was loaded in between", async () => {
  const { pool } = await openPool();
  const flag = join(await openTestFolder(), "crashed");
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await order(pool, voice, "crashLoadingOnce", `${flag}${turn}`)).toBe(1);
  }
});

it("gives a large model the threads of all processes, or as many as were asked for", async () => {
  const { pool } = await openPool({ size: 3 });
  expect(await order(pool, large, "threads")).toBe(3);
  const { pool: single } = await openPool({ size: 1, largeModelThreads: 4 });
  expect(await order(single, large, "threads")).toBe(4);
});
