// The pool's memory rules, with real child processes that report scripted sizes (test/support/scripted-child.ts).

import { expect, it, onTestFinished } from "vitest";
import type { EngineMemory } from "../../../../main/contract/speech.ts";
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

const model = shippedModel("hibari");
const mb = 1e6;

type Test = {
  pool: Pool;
  /** Ids of all processes that were started, in order. */ pids: number[];
  /** Maximum number of processes alive at the same time. */ most(): number;
  /** Memory events that the pool emitted. */ reportedModels: EngineMemory[];
};

async function limitedPool(
  limitMb: number | undefined,
  policy: Partial<PoolPolicy> = {},
): Promise<Test> {
  const launch = createLauncher(scriptedModule, await openTestFolder());
  const pids: number[] = [];
  let most = 0;
  const memoryEvents: EngineMemory[] = [];
  const counting = () => {
    const port = launch();
    pids.push(port.pid ?? 0);
    most = Math.max(most, pids.filter(isAlive).length);
    return port;
  };
  const limit = limitMb === undefined ? {} : { memoryLimitBytes: limitMb * mb };
  const pool = createPool(
    counting,
    { size: 3, idleMs: 60_000, taskTimeoutMs: 20_000, ...limit, ...policy },
    quietLog,
    (memory) => memoryEvents.push(memory),
  );
  onTestFinished(() => pool.close());
  return { pool, pids, most: () => most, reportedModels: memoryEvents };
}

type Orders = Pick<PoolJob, "run">;
/** Resolves with the id of the process that ran the task. */
const order = async (job: Orders, ...lines: string[]): Promise<number> =>
  Number((await job.run("phonemes", { model, lines })).join());
const hold = (job: Orders, heldMb: number, ...models: string[]) =>
  order(
    job,
    "hold",
    JSON.stringify({
      rssBytes: heldMb * mb,
      models: Object.fromEntries(models.map((id) => [id, mb])),
    }),
  );
const distinct = (pids: readonly number[]): number => new Set(pids).size;

/** Polls until the condition holds; the time limit of the test ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it("adds processes while another one, as large as the largest, fits the limit", async () => {
  const { pool, most } = await limitedPool(450);
  const first = Array.from({ length: 6 }, () => hold(pool.job(neverAborted()), 200));
  // The size of a process is unknown until it has run a task.
  expect(pool.pids()).toHaveLength(1);
  expect(distinct(await Promise.all(first))).toBe(2);
  expect(
    distinct(
      await Promise.all(Array.from({ length: 6 }, () => hold(pool.job(neverAborted()), 200))),
    ),
  ).toBe(2);
  expect(most()).toBe(2);
  expect(pool.memory()).toMatchObject({ processes: 2, bytes: 400 * mb });
});

it("adds as many processes as allowed where there is no memory limit", async () => {
  const { pool, most } = await limitedPool(undefined);
  await Promise.all(Array.from({ length: 6 }, () => hold(pool.job(neverAborted()), 5000)));
  expect(most()).toBe(3);
});

it("is busy when it may not add a process", async () => {
  const { pool } = await limitedPool(450);
  const first = hold(pool.job(neverAborted()), 300);
  // It is not known yet whether another process fits.
  expect([pool.pids().length, pool.isBusy()]).toEqual([1, false]);
  const pid = await first;
  expect(pool.isBusy()).toBe(false);
  const abort = new AbortController();
  const hanging = order(pool.job(abort.signal), "hang").catch(() => {});
  expect(pool.isBusy()).toBe(true);
  abort.abort();
  await hanging;
  await hold(pool.job(neverAborted()), 500);
  await until(() => pool.pids().length === 0);
  // The old process may still be ending; the next task gets a new one.
  expect(pool.isBusy()).toBe(false);
  expect(await order(pool.job(neverAborted()), "pid")).not.toBe(pid);
});

/** Opens a file for transcription, which takes little memory. */
async function openPin(pool: Pool, signal = neverAborted()) {
  const pin = pool.job(signal).pin();
  await pin.run("segment.open", {
    session: pin.session,
    vad: model,
    mediaPath: "",
    pcmPath: "",
  });
  return pin;
}

it("ignores the size of a process that has not used a model yet", async () => {
  const { pool, most } = await limitedPool(600);
  const pins = await Promise.all([openPin(pool), openPin(pool), openPin(pool)]);
  expect(pool.isBusy()).toBe(false);
  expect(distinct(await Promise.all(pins.map((pin) => hold(pin, 400))))).toBe(1);
  expect(most()).toBe(1);
});

it("does not take a process for small when its first task was aborted", async () => {
  const { pool, most } = await limitedPool(600);
  const abort = new AbortController();
  const left = hold(pool.job(abort.signal), 400).catch(() => 0);
  abort.abort();
  expect(await left).toBe(0);
  expect(
    distinct(
      await Promise.all([hold(pool.job(neverAborted()), 400), hold(pool.job(neverAborted()), 400)]),
    ),
  ).toBe(1);
  expect(most()).toBe(1);
});

it("remembers the size of a process that has ended", async () => {
  const { pool, most } = await limitedPool(600);
  process.kill(await hold(pool.job(neverAborted()), 400), "SIGKILL");
  await until(() => pool.pids().length === 0);
  await hold(pool.job(neverAborted()), 200);
  await Promise.all([
    order(pool.job(neverAborted()), "spin", "50"),
    order(pool.job(neverAborted()), "pid"),
  ]);
  expect(most()).toBe(1);
});

/** Two processes of 200 MB: the first keeps a session, the second has another model loaded. */
async function twoProcesses({ pool }: Test) {
  const pin = pool.job(neverAborted()).pin();
  const first = await hold(pin, 200);
  const working = order(pin, "spin", "200");
  const later = await holdWhisper(pool, 200);
  await working;
  expect(pool.memory()).toMatchObject({ processes: 2, bytes: 400 * mb });
  return { pin, first, later };
}

const holdWhisper = async (pool: Pool, heldMb: number): Promise<number> => {
  const held = JSON.stringify({ rssBytes: heldMb * mb, models: { "whisper-base": mb } });
  return Number(
    (
      await pool
        .job(neverAborted())
        .run("phonemes", { model: shippedModel("whisper-base"), lines: ["hold", held] })
    ).join(),
  );
};

it("ends the largest free process when all processes together exceed the limit", async () => {
  const test = await limitedPool(500);
  const { pin, first, later } = await twoProcesses(test);
  pin.release();
  expect(await holdWhisper(test.pool, 400)).toBe(later);
  await until(() => !isAlive(later));
  expect(test.pool.pids()).toEqual([first]);
});

it("ends a free process also when one that keeps a session has grown", async () => {
  const test = await limitedPool(500);
  const { pin, first, later } = await twoProcesses(test);
  expect(await hold(pin, 400)).toBe(first);
  await until(() => !isAlive(later));
  expect(test.pool.pids()).toEqual([first]);
});

it("ends the last process early when it exceeds the limit and is idle", async () => {
  const { pool } = await limitedPool(100);
  const pid = await hold(pool.job(neverAborted()), 300);
  expect(isAlive(pid)).toBe(true);
  await until(() => !isAlive(pid));
  expect(pool.memory()).toMatchObject({ processes: 0, bytes: 0 });
});

it("restarts a process that exceeds the limit between two tasks, and never runs two at once", async () => {
  const { pool, most } = await limitedPool(250);
  const pid = await hold(pool.job(neverAborted()), 150);
  const [grown, next] = await Promise.all([
    hold(pool.job(neverAborted()), 300),
    order(pool.job(neverAborted()), "pid"),
  ]);
  expect(grown).toBe(pid);
  expect(next).not.toBe(pid);
  expect(most()).toBe(1);
});

it("keeps a process that exceeds the limit with one model, and restarts one that has loaded another model too", async () => {
  const { pool, most } = await limitedPool(100);
  const job = pool.job(neverAborted());
  const pids = await Promise.all([
    hold(job, 300, "hibari"),
    order(job, "pid"),
    hold(job, 400, "hibari", "whisper-base"),
    order(job, "pid"),
  ]);
  expect(pids.map((pid) => pid === pids[0])).toEqual([true, true, true, false]);
  expect(most()).toBe(1);
});

it("keeps a process that exceeded the limit with its first request, which opens a file and then uses two models", async () => {
  const { pool, pids } = await limitedPool(400);
  for (let request = 0; request < 4; request += 1) {
    const pin = await openPin(pool);
    await hold(pin, 450 + request, "silero-vad", "moonshine-base");
    pin.release();
  }
  expect(pids).toHaveLength(1);
  const grown = [
    hold(pool.job(neverAborted()), 500, "silero-vad", "moonshine-base", "hibari"),
    order(pool.job(neverAborted()), "pid"),
  ];
  expect((await Promise.all(grown)).map((pid) => pid === pids[0])).toEqual([true, false]);
});

it("keeps a process with a session, whatever its size", async () => {
  const { pool, most } = await limitedPool(100);
  await hold(pool.job(neverAborted()), 150, "hibari");
  const pin = pool.job(neverAborted()).pin();
  await pin.run("segment.step", { session: pin.session, windowSec: 1 });
  const pid = await hold(pin, 300, "hibari", "whisper-base");
  expect(
    await Promise.all([
      order(pool.job(neverAborted()), "pid"),
      order(pool.job(neverAborted()), "pid"),
    ]),
  ).toEqual([pid, pid]);
  expect((await pin.run("segment.step", { session: pin.session, windowSec: 1 })).processedSec).toBe(
    1,
  );
  const waiting = [order(pool.job(neverAborted()), "pid"), order(pool.job(neverAborted()), "pid")];
  pin.release();
  // It runs the task that was already assigned; a smaller process runs the other one.
  expect((await Promise.all(waiting)).map((each) => each === pid)).toEqual([true, false]);
  expect(most()).toBe(1);
});

it("reports the maximum size of each model and whether it is loaded, and emits changes", async () => {
  const { pool, reportedModels: changes } = await limitedPool(undefined, { size: 1 });
  const reportedModels = () => Object.fromEntries(pool.memory().models);
  const job = pool.job(neverAborted());
  const take = (models: Record<string, number>) =>
    order(job, "hold", JSON.stringify({ rssBytes: 9 * mb, models }));
  expect(reportedModels()).toEqual({});
  const pid = await take({ hibari: 3 * mb });
  expect(reportedModels()).toEqual({ hibari: { bytes: 3 * mb, isLoaded: true } });
  await take({ hibari: mb, "whisper-base": 5 * mb });
  expect(reportedModels()).toEqual({
    hibari: { bytes: 3 * mb, isLoaded: true },
    "whisper-base": { bytes: 5 * mb, isLoaded: true },
  });
  expect(changes).toHaveLength(2);
  await take({ hibari: mb, "whisper-base": 5 * mb });
  expect(changes).toHaveLength(2);
  await take({ "whisper-base": 5 * mb });
  process.kill(pid, "SIGKILL");
  await until(() => pool.pids().length === 0);
  expect(reportedModels()).toEqual({
    hibari: { bytes: 3 * mb, isLoaded: false },
    "whisper-base": { bytes: 5 * mb, isLoaded: false },
  });
  expect(changes.length).toBeGreaterThanOrEqual(3);
});

it("forgets a model that is unloaded, although a process keeps it for a session", async () => {
  const { pool } = await limitedPool(undefined);
  const pin = pool.job(neverAborted()).pin();
  await hold(pin, 200, "hibari");
  pool.unload("hibari");
  expect(pool.memory().models).toEqual(new Map());
  await hold(pin, 400, "hibari");
  expect(pool.memory()).toEqual({ processes: 1, bytes: 400 * mb, models: new Map() });
});

it("emits an event when a process starts or ends or the total size changes clearly, and ignores unknown sizes", async () => {
  const { pool, reportedModels } = await limitedPool(undefined, { size: 2 });
  const seen = () => reportedModels.map(({ processes, bytes }) => [processes, bytes / mb]);
  const grow = (heldMb: number) => hold(pool.job(neverAborted()), heldMb);
  const first = grow(400);
  expect([pool.pids().length, pool.memory().processes]).toEqual([1, 0]);
  await first;
  await grow(420);
  expect(seen()).toEqual([[1, 400]]);
  await grow(450);
  expect(seen()).toEqual([
    [1, 400],
    [1, 450],
  ]);
  const abort = new AbortController();
  const hanging = order(pool.job(abort.signal), "hang").catch(() => {});
  const later = await grow(400);
  expect(seen().slice(2)).toEqual([[2, 850]]);
  process.kill(later, "SIGKILL");
  await until(() => pool.pids().length === 1);
  expect(seen().slice(3)).toEqual([[1, 450]]);
  abort.abort();
  await hanging;
});
