// Models are tried on this machine after they were installed, with real engines.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import type { MeasuringClip } from "../../main/contract/measurements.ts";
import type { InstalledModel } from "../../main/contract/models.ts";
import { createPool, type Pool } from "../../main/engines/pool/pool.ts";
import { voices } from "../../main/engines/tts/hibari/voices.ts";
import { createModelTrials, type ModelTrialsDeps } from "../../main/inference/model-trials.ts";
import { measuringClips, readMeasuringClip } from "../../main/models/measuring-clips.ts";
import { createModelStore } from "../../main/models/model-store.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import {
  createLauncher,
  engineModule,
  neverAborted,
  quietLog,
  withInjectedFaults,
} from "../support/app.ts";
import { installCopy } from "../support/local-models.ts";
import { openFolder, openTestFolder } from "../support/test-data.ts";

const folder = await openFolder();
afterAll(() => folder.remove());
const launch = createLauncher(engineModule, folder.path);
const moonshine = shippedModel("moonshine-base");
const copy = { id: "english-copy" };
const english = measuringClips[0] as MeasuringClip;

async function open(changes: Partial<ModelTrialsDeps> = {}) {
  const dataDir = await openTestFolder();
  const store = createModelStore({ dataDir, log: quietLog });
  const trials = createModelTrials({
    store,
    readClip: async () => ({ ...english, bytes: await readMeasuringClip(english.id) }),
    createPool: (taskTimeoutMs) =>
      createPool(launch, { size: 1, idleMs: 60_000, taskTimeoutMs }, quietLog),
    vad: shippedModel("silero-vad"),
    voices,
    tempDir: () => dataDir,
    mainPool: { untilQuiet: () => Promise.resolve(), onUse: () => () => {}, unload() {} },
    listProviders: () => Promise.resolve([]),
    log: quietLog,
    ...changes,
  });
  onTestFinished(() => trials.close());
  return { dataDir, store, trials };
}

it("measures speed and memory of a model after its installation, and only once", async () => {
  const createTrialPool = vi.fn<ModelTrialsDeps["createPool"]>((taskTimeoutMs) =>
    createPool(launch, { size: 1, idleMs: 60_000, taskTimeoutMs }, quietLog),
  );
  const { dataDir, store, trials } = await open({ createPool: createTrialPool });
  trials.start();
  await installCopy(store, moonshine, copy);
  await vi.waitFor(() => expect(store.find(copy.id)?.measured).toBeDefined(), 60_000);
  const { speed = 0, memoryBytes = 0 } = store.find(copy.id)?.measured ?? {};
  expect(speed).toBeGreaterThan(1);
  expect(memoryBytes).toBeGreaterThan(10e6);
  expect(createModelStore({ dataDir, log: quietLog }).find(copy.id)?.measured).toEqual(
    store.find(copy.id)?.measured,
  );
  await trials.close();
  expect(createTrialPool).toHaveBeenCalledOnce();
}, 90_000);

it("measures a model that comes with the app on request, speech too", async () => {
  const { store, trials } = await open();
  const { speed = 0 } = await trials.run("hibari", neverAborted());
  expect(speed).toBeGreaterThan(1);
  expect(store.find("hibari")?.measured?.speed).toBe(speed);
  expect(store.find("hibari")?.measured?.doubt).toBeUndefined();
}, 90_000);

it("ends with nothing recorded if the model is removed", async () => {
  let removing: Promise<void> | undefined;
  const removedDuringTask = withInjectedFaults(launch, ({ name }) => {
    if (name === "transcribe") removing ??= store.remove(copy.id);
    return undefined;
  });
  const pools: Pool[] = [];
  const { dataDir, store, trials } = await open({
    createPool(taskTimeoutMs) {
      const pool = createPool(
        removedDuringTask,
        { size: 1, idleMs: 60_000, taskTimeoutMs },
        quietLog,
      );
      pools.push(pool);
      return pool;
    },
  });
  await installCopy(store, moonshine, copy);
  await expect(trials.run(copy.id, neverAborted())).rejects.toMatchObject({
    sent: { id: "model.removed" },
  });
  await removing;
  expect(store.find(copy.id)).toBeUndefined();
  expect(pools.map((pool) => pool.pids())).toEqual([[]]);
  expect((await readdir(join(dataDir, "models"), { recursive: true })).sort()).toEqual([
    ".incoming",
  ]);
}, 90_000);

it("does not try a model that was removed while others were tried", async () => {
  const { store, trials } = await open();
  await installCopy(store, moonshine, copy);
  const first = trials.run("hibari", neverAborted());
  const second = trials.run(copy.id, neverAborted());
  await store.remove(copy.id);
  await first;
  await expect(second).rejects.toMatchObject({ sent: { id: "model.removed" } });
}, 90_000);

it("sets aside a model that does not work, with the reason", async () => {
  const { store, trials } = await open();
  await installCopy(store, moonshine, copy, "vocabulary.json");
  await expect(trials.run(copy.id, neverAborted())).rejects.toMatchObject({
    key: "model_unusable",
  });
  expect(store.find(copy.id)?.damaged).toMatchObject({ id: "model.damaged" });
}, 90_000);

it("sets aside a model that crashes its process", async () => {
  const crashing = withInjectedFaults(launch, ({ name }) =>
    name === "transcribe" ? "crash" : undefined,
  );
  const { store, trials } = await open({
    createPool: (taskTimeoutMs) =>
      createPool(crashing, { size: 1, idleMs: 60_000, taskTimeoutMs }, quietLog),
  });
  await installCopy(store, moonshine, copy);
  await expect(trials.run(copy.id, neverAborted())).rejects.toMatchObject({
    sent: { id: "model.doesNotWork" },
  });
  expect(store.find(copy.id)?.damaged).toMatchObject({ id: "model.doesNotWork" });
}, 90_000);

it("stays with the CPU where another provider fails, and says so", async () => {
  const crashing = withInjectedFaults(launch, ({ input }) =>
    (input as { model?: InstalledModel }).model?.provider === "webgpu" ? "crash" : undefined,
  );
  const { store, trials } = await open({
    listProviders: () => Promise.resolve(["webgpu"]),
    createPool: (taskTimeoutMs) =>
      createPool(crashing, { size: 1, idleMs: 60_000, taskTimeoutMs }, quietLog),
  });
  await trials.run("moonshine-base", neverAborted());
  expect(store.find("moonshine-base")).toMatchObject({
    provider: "cpu",
    measured: { providerReasons: [{ id: "model.providerFailed" }] },
  });
  expect(store.find("moonshine-base")?.damaged).toBeUndefined();
}, 90_000);
