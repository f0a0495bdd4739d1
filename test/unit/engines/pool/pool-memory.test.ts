// The pool's rules about memory, with real child processes that hold what they are told to (test/support/scripted-child.ts).

import { expect, it, onTestFinished } from "vitest";
import type { EngineMemory } from "../../../../main/contract/speech.ts";
import {
  createPool,
  type Pool,
  type PoolJob,
  type PoolPolicy,
} from "../../../../main/engines/pool/pool.ts";
import { modelBundle } from "../../../../main/models/store.ts";
import {
  isAlive,
  createLauncher,
  neverAborted,
  quietLog,
  scriptedModule,
} from "../../../support/app.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const model = modelBundle("hibari");
const mb = 1e6;

type Test = {
  pool: Pool;
  /** Of every process that was started, in order. */ pids: number[];
  /** Most that were alive at once. */ most(): number;
  /** What it told of their memory. */ told: EngineMemory[];
};

async function limitedPool(
  limitMb: number | undefined,
  policy: Partial<PoolPolicy> = {},
): Promise<Test> {
  const launch = createLauncher(scriptedModule, await openTestFolder());
  const pids: number[] = [];
  let most = 0;
  const told: EngineMemory[] = [];
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
    (memory) => told.push(memory),
  );
  onTestFinished(() => pool.close());
  return { pool, pids, most: () => most, told };
}

type Orders = Pick<PoolJob, "run">;
/** Answers the pid of the process that did it. */
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

/** Waits for what has to come; the test's own time limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it("adds processes as long as one more, as large as the largest, is within the limit", async () => {
  const { pool, most } = await limitedPool(450);
  const first = Array.from({ length: 6 }, () => hold(pool.job(neverAborted()), 200));
  // How large one becomes nobody knows before it has done something.
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

it("adds as many as it may where there is no limit", async () => {
  const { pool, most } = await limitedPool(undefined);
  await Promise.all(Array.from({ length: 6 }, () => hold(pool.job(neverAborted()), 5000)));
  expect(most()).toBe(3);
});

it("takes for busy what may not grow", async () => {
  const { pool } = await limitedPool(450);
  const first = hold(pool.job(neverAborted()), 300);
  // Nobody knows yet whether another fits.
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
  // It may still be ending; what comes now has a new one.
  expect(pool.isBusy()).toBe(false);
  expect(await order(pool.job(neverAborted()), "pid")).not.toBe(pid);
});

/** Opens a file, which takes little memory, and is to hear it. */
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

it("does not take for its size what a process holds before it has used a model", async () => {
  const { pool, most } = await limitedPool(600);
  const pins = await Promise.all([openPin(pool), openPin(pool), openPin(pool)]);
  expect(pool.isBusy()).toBe(false);
  expect(distinct(await Promise.all(pins.map((pin) => hold(pin, 400))))).toBe(1);
  expect(most()).toBe(1);
});

it("does not take one for small that was told to leave its first task", async () => {
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

it("remembers how large one became that is gone", async () => {
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

/** Two processes of 200 MB: one keeps a session, the later one has a model of its own. */
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
        .run("phonemes", { model: modelBundle("whisper-base"), lines: ["hold", held] })
    ).join(),
  );
};

it("ends the largest process that is free once all together hold too much", async () => {
  const test = await limitedPool(500);
  const { pin, first, later } = await twoProcesses(test);
  pin.release();
  expect(await holdWhisper(test.pool, 400)).toBe(later);
  await until(() => !isAlive(later));
  expect(test.pool.pids()).toEqual([first]);
});

it("ends one that is free also where another grew that keeps a session", async () => {
  const test = await limitedPool(500);
  const { pin, first, later } = await twoProcesses(test);
  expect(await hold(pin, 400)).toBe(first);
  await until(() => !isAlive(later));
  expect(test.pool.pids()).toEqual([first]);
});

it("lets the last process go early that is above the limit and has nothing to do", async () => {
  const { pool } = await limitedPool(100);
  const pid = await hold(pool.job(neverAborted()), 300);
  expect(isAlive(pid)).toBe(true);
  await until(() => !isAlive(pid));
  expect(pool.memory()).toMatchObject({ processes: 0, bytes: 0 });
});

it("starts a process anew between two tasks when it grew past the limit, and never has two at once", async () => {
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

it("goes on with a process that is above the limit with its one model, and starts one anew that has another besides", async () => {
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

it("goes on with a process that needed more than the limit for the first request, opening a file before it used two models", async () => {
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

it("keeps a process with a session, whatever it holds", async () => {
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
  // The one that was given out already is done by it, the other by one that is smaller.
  expect((await Promise.all(waiting)).map((each) => each === pid)).toEqual([true, false]);
  expect(most()).toBe(1);
});

it("tells what each model took at most and whether it is loaded, and when that changes", async () => {
  const { pool, told: changes } = await limitedPool(undefined, { size: 1 });
  const told = () => Object.fromEntries(pool.memory().models);
  const job = pool.job(neverAborted());
  const take = (models: Record<string, number>) =>
    order(job, "hold", JSON.stringify({ rssBytes: 9 * mb, models }));
  expect(told()).toEqual({});
  const pid = await take({ hibari: 3 * mb });
  expect(told()).toEqual({ hibari: { bytes: 3 * mb, isLoaded: true } });
  await take({ hibari: mb, "whisper-base": 5 * mb });
  expect(told()).toEqual({
    hibari: { bytes: 3 * mb, isLoaded: true },
    "whisper-base": { bytes: 5 * mb, isLoaded: true },
  });
  expect(changes).toHaveLength(2);
  await take({ hibari: mb, "whisper-base": 5 * mb });
  expect(changes).toHaveLength(2);
  await take({ "whisper-base": 5 * mb });
  process.kill(pid, "SIGKILL");
  await until(() => pool.pids().length === 0);
  expect(told()).toEqual({
    hibari: { bytes: 3 * mb, isLoaded: false },
    "whisper-base": { bytes: 5 * mb, isLoaded: false },
  });
  expect(changes.length).toBeGreaterThanOrEqual(3);
});

it("tells when a process has come or gone and when they hold clearly more or less, and counts none that told nothing yet", async () => {
  const { pool, told } = await limitedPool(undefined, { size: 2 });
  const seen = () => told.map(({ processes, bytes }) => [processes, bytes / mb]);
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
