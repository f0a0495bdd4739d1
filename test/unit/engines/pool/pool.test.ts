// The pool with real child processes that run scripted tasks (test/support/scripted-child.ts).

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { ChildLostError } from "../../../../main/engines/pool/child-lost-error.ts";
import {
  createPool,
  type Pool,
  type PoolJob,
  type PoolPolicy,
} from "../../../../main/engines/pool/pool.ts";
import { createLog } from "../../../../main/log.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import {
  isAlive,
  createLauncher,
  neverAborted,
  quietLog,
  scriptedModule,
} from "../../../support/app.ts";
import { openTestFolder } from "../../../support/test-data.ts";

async function scriptedPool(policy: Partial<PoolPolicy> = {}, log = quietLog): Promise<Pool> {
  const pool = createPool(
    createLauncher(scriptedModule, await openTestFolder()),
    { size: 1, idleMs: 60_000, taskTimeoutMs: 20_000, ...policy },
    log,
  );
  onTestFinished(() => pool.close());
  return pool;
}

const model = shippedModel("hibari");
type Orders = Pick<PoolJob, "run">;
const order = async (job: Orders, ...lines: string[]): Promise<string> =>
  (await job.run("phonemes", { model, lines })).join();
const step = (job: Orders, session: string) => job.run("segment.step", { session, windowSec: 1 });

/** Polls until the condition holds; the time limit of the test ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it("starts no process before there is work", async () => {
  expect((await scriptedPool()).pids()).toEqual([]);
});

it("starts as many processes as there is work for, up to the maximum", async () => {
  const pool = await scriptedPool({ size: 2 });
  expect(await order(pool.job(neverAborted()), "echo", "hello")).toBe("hello");
  expect(pool.pids()).toHaveLength(1);
  await Promise.all(Array.from({ length: 6 }, () => order(pool.job(neverAborted()), "pid")));
  expect(pool.pids()).toHaveLength(2);
});

it("alternates between requests, so that a short one does not wait for a long one", async () => {
  const pool = await scriptedPool();
  const done: string[] = [];
  const long = pool.job(neverAborted());
  const short = pool.job(neverAborted());
  const all = [
    ...Array.from({ length: 10 }, async (_, index) => {
      await order(long, "spin", "50");
      done.push(`long ${index}`);
    }),
    ...["short 0", "short 1"].map(async (name) => done.push(await order(short, "echo", name))),
  ];
  await Promise.all(all);
  expect(done.indexOf("short 0")).toBeLessThanOrEqual(2);
  expect(done.indexOf("short 1")).toBeLessThanOrEqual(4);
  expect(done.filter((name) => name.startsWith("long"))).toEqual(
    Array.from({ length: 10 }, (_, index) => `long ${index}`),
  );
});

it("runs all small tasks of a request with little processing time between two large tasks of another", async () => {
  const pool = await scriptedPool();
  const done: string[] = [];
  const long = pool.job(neverAborted());
  const short = pool.job(neverAborted());
  const large = Array.from({ length: 4 }, async (_, index) =>
    done.push(`${await order(long, "spin", "150")} ${index}`),
  );
  const small = (async () => {
    for (let index = 0; index < 5; index += 1) done.push(await order(short, "echo", "small"));
  })();
  await Promise.all([...large, small]);
  expect(done.lastIndexOf("small")).toBeLessThanOrEqual(6);
});

it("assigns a task to the process that has its model loaded", async () => {
  const pool = await scriptedPool({ size: 2 });
  const other = shippedModel("moonshine-base");
  const hold = pool.job(neverAborted()).pin();
  const [warm] = await Promise.all([
    order(pool.job(neverAborted()), "pid"),
    hold.run("phonemes", { model: other, lines: ["pid"] }),
  ]);
  hold.release();
  for (let again = 0; again < 4; again += 1)
    expect(await order(pool.job(neverAborted()), "pid")).toBe(warm);
});

it("retries a task once in another process when its process crashes", async () => {
  const pool = await scriptedPool();
  const flag = join(await openTestFolder(), "crashed");
  expect(await order(pool.job(neverAborted()), "crashOnce", flag)).toBe("survived");
});

it("does not fail a task because several processes were killed at once", async () => {
  const pool = await scriptedPool({ size: 3 });
  const tasks = [1, 2, 3, 4, 5, 6].map((task) =>
    order(pool.job(neverAborted()), "echo", String(task)),
  );
  await tasks[0];
  for (const pid of pool.pids()) process.kill(pid, "SIGKILL");
  expect(await Promise.all(tasks)).toEqual(["1", "2", "3", "4", "5", "6"]);
});

it("does not blame a task whose processes are killed again and again", async () => {
  const pool = await scriptedPool();
  await expect(order(pool.job(neverAborted()), "killed")).rejects.toMatchObject({
    sent: { id: "engine.keepsStopping" },
  });
});

it("ends a process that hangs and retries its task once", async () => {
  const lines: string[] = [];
  const pool = await scriptedPool(
    { taskTimeoutMs: 150 },
    createLog("warn", { write: (line) => void lines.push(line) }),
  );
  await order(pool.job(neverAborted()), "echo", "started");
  const [hung = 0] = pool.pids();
  await expect(order(pool.job(neverAborted()), "hang")).rejects.toMatchObject({
    key: "engine_failed",
  });
  expect(isAlive(hung)).toBe(false);
  expect(lines.join("")).toContain("hung in phonemes for 150 ms");
  expect(await order(pool.job(neverAborted()), "echo", "again")).toBe("again");
});

it("fails a task whose process crashes twice, and logs the reason", async () => {
  const lines: string[] = [];
  const pool = await scriptedPool(
    {},
    createLog("warn", { write: (line) => void lines.push(line) }),
  );
  await expect(order(pool.job(neverAborted()), "crash")).rejects.toMatchObject({
    name: "AppError",
    key: "engine_failed",
  });
  expect(lines.join("")).toContain("exited with code 7");
  expect(
    lines.filter(
      (line) => line.includes("a task failed for good") && line.includes("exited with code 7"),
    ),
  ).toHaveLength(1);
});

it("fails a task that failed twice in its engine, without ending the process", async () => {
  const pool = await scriptedPool();
  await order(pool.job(neverAborted()), "echo", "started");
  const before = pool.pids();
  await expect(order(pool.job(neverAborted()), "fail")).rejects.toMatchObject({
    key: "engine_failed",
    message: expect.not.stringContaining("scripted failure") as string,
  });
  expect(pool.pids()).toEqual(before);
});

it("passes an error for the caller on at once", async () => {
  const pool = await scriptedPool();
  await expect(order(pool.job(neverAborted()), "refuse")).rejects.toMatchObject({
    key: "invalid_value",
    message: "not this",
    param: "voice",
  });
});

it("does not affect other requests when one crashes its process", async () => {
  const pool = await scriptedPool();
  const crashing = order(pool.job(neverAborted()), "crash");
  const others = Array.from({ length: 5 }, (_, index) =>
    order(pool.job(neverAborted()), "echo", String(index)),
  );
  await expect(crashing).rejects.toMatchObject({ key: "engine_failed" });
  expect(await Promise.all(others)).toEqual(["0", "1", "2", "3", "4"]);
});

it("cancels an aborted request, both its waiting tasks and the running one", async () => {
  const pool = await scriptedPool();
  const notes = join(await openTestFolder(), "notes");
  const abort = new AbortController();
  const job = pool.job(abort.signal);
  await order(job, "note", notes);
  const running = order(job, "hang");
  const waiting = [order(job, "note", notes), order(job, "note", notes)];
  abort.abort(new Error("no longer wanted"));
  for (const task of [running, ...waiting]) await expect(task).rejects.toThrow("no longer wanted");
  await expect(order(job, "note", notes)).rejects.toThrow("no longer wanted");
  // The process continues with the next request, and the waiting tasks never wrote their notes.
  expect(await order(pool.job(neverAborted()), "echo", "next")).toBe("next");
  expect(await readFile(notes, "utf8")).toBe("x");
});

it("keeps the session of a pinned process for its own request", async () => {
  const pool = await scriptedPool({ size: 2 });
  const pins = [
    pool.job(neverAborted()).pin(),
    pool.job(neverAborted()).pin(),
    pool.job(neverAborted()).pin(),
  ];
  for (let round = 1; round <= 3; round += 1) {
    const steps = await Promise.all(pins.map((pin) => step(pin, pin.session)));
    expect(steps.map(({ processedSec }) => processedSec)).toEqual(pins.map(() => round - 1));
  }
});

it("keeps no reference to a released session while its process continues", async () => {
  const pool = await scriptedPool();
  async function useAndRelease(): Promise<WeakRef<AbortSignal>> {
    const { signal } = new AbortController();
    const pin = pool.job(signal).pin();
    await step(pin, pin.session);
    pin.release();
    return new WeakRef(signal);
  }
  const signal = await useAndRelease();
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  await expect
    .poll(() => {
      collectGarbage();
      return signal.deref() === undefined;
    })
    .toBe(true);
  expect(pool.pids()).toHaveLength(1);
});

it("removes the session of a released pin", async () => {
  const pool = await scriptedPool();
  const pin = pool.job(neverAborted()).pin();
  await step(pin, pin.session);
  expect(await order(pool.job(neverAborted()), "sessions")).toBe("1");
  pin.release();
  expect(await order(pool.job(neverAborted()), "sessions")).toBe("0");
  await expect(step(pin, pin.session)).rejects.toThrow(ChildLostError);
});

it("reports to a pin that its own task ended the process", async () => {
  const pool = await scriptedPool();
  const pin = pool.job(neverAborted()).pin();
  await step(pin, pin.session);
  await expect(order(pin, "crash")).rejects.toMatchObject({
    name: "ChildLost",
    runningTask: "phonemes",
  });
  await expect(step(pin, pin.session)).rejects.toThrow(ChildLostError);
});

it("reports to a pin that the task of another request ended its process", async () => {
  const pool = await scriptedPool();
  const pin = pool.job(neverAborted()).pin();
  await step(pin, pin.session);
  await expect(order(pool.job(neverAborted()), "crash")).rejects.toMatchObject({
    key: "engine_failed",
  });
  await expect(step(pin, pin.session)).rejects.toMatchObject({
    name: "ChildLost",
    runningTask: undefined,
  });
});

it("rejects the tasks that wait for a pinned process when it is lost", async () => {
  const pool = await scriptedPool();
  const pin = pool.job(neverAborted()).pin();
  await step(pin, pin.session);
  const [pid = 0] = pool.pids();
  const results = Promise.allSettled([
    order(pin, "hang"),
    step(pin, pin.session),
    step(pin, pin.session),
  ]);
  process.kill(pid, "SIGKILL");
  expect(
    (await results).map((result) =>
      result.status === "rejected" ? (result.reason as Error).name : "fulfilled",
    ),
  ).toEqual(["ChildLost", "ChildLost", "ChildLost"]);
});

it("ends an idle process", async () => {
  const pool = await scriptedPool({ idleMs: 20 });
  const pid = Number(await order(pool.job(neverAborted()), "pid"));
  await until(() => !isAlive(pid));
  expect(pool.pids()).toEqual([]);
  expect(await order(pool.job(neverAborted()), "echo", "a new one")).toBe("a new one");
});

it("keeps a pinned process, however long it is idle", async () => {
  const pool = await scriptedPool({ size: 2, idleMs: 20 });
  const pin = pool.job(neverAborted()).pin();
  await step(pin, pin.session);
  const [pinned = 0] = pool.pids();
  const [, other = 0] = await Promise.all([
    order(pool.job(neverAborted()), "pid"),
    order(pool.job(neverAborted()), "pid"),
  ]).then((pids) => pids.map(Number).sort((a) => (a === pinned ? -1 : 1)));
  await until(() => !isAlive(other));
  expect((await step(pin, pin.session)).processedSec).toBe(1);
  expect(isAlive(pinned)).toBe(true);
});

it("ends all processes quickly when it is closed, also those that do not respond", async () => {
  const pool = await scriptedPool({ size: 3 });
  const tasks = [
    order(pool.job(neverAborted()), "block"),
    order(pool.job(neverAborted()), "hang"),
    order(pool.job(neverAborted()), "echo", "hello"),
    order(pool.job(neverAborted()), "block"),
  ];
  const results = Promise.allSettled(tasks);
  expect(await tasks[2]).toBe("hello");
  const pids = pool.pids();
  expect(pids).toHaveLength(3);
  const begun = performance.now();
  await pool.close();
  expect(performance.now() - begun).toBeLessThan(1500);
  expect(pids.filter(isAlive)).toEqual([]);
  const failed = (await results).filter(
    ({ status }) => status === "rejected",
  ) as PromiseRejectedResult[];
  expect(failed.map(({ reason }) => (reason as { key?: string }).key)).toEqual([
    "closing",
    "closing",
    "closing",
  ]);
  await expect(order(pool.job(neverAborted()), "echo", "too late")).rejects.toMatchObject({
    key: "closing",
  });
});

it("fails the task when no process can be started", async () => {
  const pool = createPool(
    createLauncher(join(await openTestFolder(), "missing.ts"), await openTestFolder()),
    { size: 2, idleMs: 1000, taskTimeoutMs: 1000 },
    quietLog,
  );
  onTestFinished(() => pool.close());
  await expect(order(pool.job(neverAborted()), "echo", "hello")).rejects.toMatchObject({
    key: "engine_failed",
  });
});
