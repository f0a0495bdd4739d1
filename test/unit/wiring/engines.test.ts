// What the pool finds out about models reaches the list of models, and the other way round. With scripted processes.

import { createHash } from "node:crypto";
import { writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createMessage } from "../../../main/contract/messages/messages.ts";
import type { InstalledModel } from "../../../main/contract/models.ts";
import { createModelNames } from "../../../main/models/defaults.ts";
import { createModelStore } from "../../../main/models/model-store.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { wireEngines } from "../../../main/wiring/engines.ts";
import type { Foundation } from "../../../main/wiring/foundation.ts";
import type { WiredModels } from "../../../main/wiring/models.ts";
import { createLauncher, neverAborted, quietLog, scriptedModule } from "../../support/app.ts";
import { noChoices } from "../../support/local-models.ts";
import { openTestFolder } from "../../support/test-data.ts";

const mb = 1e6;
const hibari = shippedModel("hibari");

async function open() {
  const dataDir = await openTestFolder();
  const store = createModelStore({ dataDir, log: quietLog });
  const foundation = {
    platform: { dataDir, launchChild: createLauncher(scriptedModule, dataDir) },
    settings: {},
    temp: { path: () => dataDir },
    events: { publish() {} },
    log: quietLog,
  } as unknown as Foundation;
  const names = createModelNames(store.list, () => noChoices);
  const { pool } = wireEngines(foundation, { workers: 1, idleMs: 60_000, memoryMb: 0 }, {
    store,
    names,
  } as unknown as WiredModels);
  onTestFinished(() => pool.close());
  const run = async (model: InstalledModel, ...lines: string[]): Promise<string> =>
    (await pool.job(neverAborted()).run("phonemes", { model, lines })).join();
  async function install(content: string): Promise<InstalledModel> {
    const folder = join(store.incomingDir, "voice");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "weights"), content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const files = [{ name: "weights", sizeBytes: content.length, sha256 }];
    return store.install({ ...hibari, id: "voice", files }, folder, "imported");
  }
  return { dataDir, store, run, install };
}

it("remembers how much memory a model took", async () => {
  const { dataDir, store, run, install } = await open();
  const model = await install("one");
  const hold = (heldMb: number) =>
    run(model, "hold", JSON.stringify({ rssBytes: 900 * mb, models: { voice: heldMb * mb } }));
  await hold(300);
  store.recordMeasurement("voice", { speed: 5, memoryBytes: 300 * mb, measuredAt: 7 });
  await hold(200);
  expect(store.find("voice")?.measured).toEqual({
    speed: 5,
    memoryBytes: 300 * mb,
    measuredAt: 7,
  });
  await hold(400);
  expect(createModelStore({ dataDir, log: quietLog }).find("voice")?.measured).toEqual({
    speed: 5,
    memoryBytes: 400 * mb,
    measuredAt: 7,
  });
});

it("forgets how much memory a replaced model took", async () => {
  const { store, run, install } = await open();
  const hold = (model: InstalledModel, heldMb: number) =>
    run(model, "hold", JSON.stringify({ rssBytes: 900 * mb, models: { voice: heldMb * mb } }));
  await hold(await install("one"), 500);
  const replaced = await install("two");
  const measured = { speed: 5, memoryBytes: 300 * mb, measuredAt: 7 };
  store.recordMeasurement("voice", measured);
  await hold(replaced, 200);
  expect(store.find("voice")?.measured).toEqual(measured);
});

it("sets a model aside that cannot be loaded, but not the one that replaced it", async () => {
  const { store, run, install } = await open();
  const first = await install("one");
  await expect(run(first, "crashLoading")).rejects.toMatchObject({ key: "model_unusable" });
  expect(store.find("voice")?.damaged).toMatchObject({ id: "model.notLoadable" });
  await install("two");
  await expect(run(first, "crashLoading")).rejects.toMatchObject({ key: "model_unusable" });
  expect(store.find("voice")?.damaged).toBeUndefined();
});

it("goes on with the CPU if another provider fails later, says so, and tries it again once measured", async () => {
  const { dataDir, store, run, install } = await open();
  await install("one");
  const differs = createMessage("model.providerDiffers", { provider: "CUDA" });
  const faster = createMessage("model.providerSpeed", { provider: "WebGPU", factor: "2.0" });
  const measured = { speed: 5, provider: "webgpu", providerReasons: [differs, faster] };
  store.recordMeasurement("voice", { ...measured, measuredAt: 7 });
  const before = store.find("voice") as InstalledModel;
  expect(before.provider).toBe("webgpu");
  expect(await run(before, "echo", "hello")).toBe("hello");
  const after = {
    speed: 5,
    measuredAt: 7,
    providerReasons: [differs, { id: "model.providerStopped", params: { provider: "WebGPU" } }],
  };
  expect(store.find("voice")).toMatchObject({ provider: "cpu", measured: after });
  expect(store.find("voice")?.measured?.provider).toBeUndefined();
  expect(store.find("voice")?.damaged).toBeUndefined();
  expect(createModelStore({ dataDir, log: quietLog }).find("voice")).toMatchObject({
    provider: "cpu",
    measured: after,
  });
  // A request that began before goes on as well, in the same process.
  expect(await run(before, "pid")).toBe(await run(store.find("voice") as InstalledModel, "pid"));
  store.recordMeasurement("voice", { ...measured, measuredAt: 8 });
  expect(await run(store.find("voice") as InstalledModel, "echo", "hello")).toBe("hello");
  expect(store.find("voice")).toMatchObject({ provider: "cpu", measured: { measuredAt: 8 } });
});

it("sets a model aside that fails with another provider and with the CPU, and leaves its provider", async () => {
  const { store, run, install } = await open();
  await install("one");
  store.recordMeasurement("voice", { provider: "webgpu", measuredAt: 7 });
  await expect(run(store.find("voice") as InstalledModel, "crashLoading")).rejects.toMatchObject({
    key: "model_unusable",
  });
  expect(store.find("voice")).toMatchObject({
    provider: "webgpu",
    damaged: { id: "model.notLoadable" },
  });
});

it("ends a process that was loading a model when it was replaced, however soon after it was installed", async () => {
  const { run, install } = await open();
  const first = run(await install("one"), "pid");
  const replaced = await install("two");
  expect(await run(replaced, "pid")).not.toBe(await first);
});
