import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppError } from "../../../../main/contract/errors.ts";
import { createModelCache } from "../../../../main/engines/pool/model-cache.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";

const idleMs = 1000;
const silero = shippedModel("silero-vad");
const hibari = shippedModel("hibari");

/** Models that only record whether they are open, and take 100 bytes each. */
function counted(onChange = () => {}) {
  const log: string[] = [];
  let heldBytes = 1000;
  const load = async ({ id }: { id: string }) => {
    log.push(`load ${id}`);
    await Promise.resolve();
    heldBytes += 100;
    return { id, close: async () => void log.push(`close ${id}`) };
  };
  return { models: createModelCache(load, { idleMs, heldBytes: () => heldBytes, onChange }), log };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("loads a model once for all users", async () => {
  const { models, log } = counted();
  const leases = await Promise.all([
    models.acquire(silero),
    models.acquire(silero),
    models.acquire(hibari),
  ]);
  expect(leases[0]?.model).toBe(leases[1]?.model);
  expect(log).toEqual(["load silero-vad", "load hibari"]);
});

it("loads a model again for another execution provider", async () => {
  const { models, log } = counted();
  const webgpu = await models.acquire({ ...silero, provider: "webgpu" });
  const cpu = await models.acquire(silero);
  expect(cpu.model).not.toBe(webgpu.model);
  expect((await models.acquire({ ...silero, provider: "cpu" })).model).toBe(cpu.model);
  webgpu.release();
  await vi.advanceTimersByTimeAsync(idleMs);
  expect(log).toEqual(["load silero-vad", "load silero-vad", "close silero-vad"]);
});

it("never closes a model in use", async () => {
  const { models, log } = counted();
  const first = await models.acquire(silero);
  const second = await models.acquire(silero);
  first.release();
  await vi.advanceTimersByTimeAsync(10 * idleMs);
  expect(log).not.toContain("close silero-vad");
  second.release();
  await vi.advanceTimersByTimeAsync(idleMs);
  expect(log).toContain("close silero-vad");
});

it("keeps a model that is used again before the idle timeout", async () => {
  const { models, log } = counted();
  for (let use = 0; use < 5; use += 1) {
    await models.lease(silero, async () => {});
    await vi.advanceTimersByTimeAsync(idleMs - 1);
  }
  expect(log).toEqual(["load silero-vad"]);
});

it("loads a model again after it was closed", async () => {
  const { models, log } = counted();
  await models.lease(silero, async () => {});
  await vi.advanceTimersByTimeAsync(idleMs);
  await models.lease(silero, async () => {});
  expect(log).toEqual(["load silero-vad", "close silero-vad", "load silero-vad"]);
});

it("returns the result of the use, and ends the lease also when the use fails", async () => {
  const { models, log } = counted();
  expect(await models.lease(silero, async ({ id }) => `used ${id}`)).toBe("used silero-vad");
  await expect(models.lease(silero, () => Promise.reject(new Error("misused")))).rejects.toThrow(
    "misused",
  );
  await vi.advanceTimersByTimeAsync(idleMs);
  expect(log).toEqual(["load silero-vad", "close silero-vad"]);
});

it("says of a model that cannot be loaded why, without the path of its folder", async () => {
  const models = createModelCache(
    () => Promise.reject(new Error(`${join(hibari.dir, "model.onnx")} has no input x`)),
    { idleMs },
  );
  await expect(models.acquire(hibari)).rejects.toMatchObject({
    key: "model_unusable",
    sent: {
      id: "model.notLoadable",
      params: { model: "hibari", why: "model.onnx has no input x" },
    },
  });
});

it.each([
  [
    "/onnxruntime_src/core/webgpu_context.cc:63 onnxruntime::Initialize(const Config&)::<lambda()> status == 1 was false. No adapters\n",
    "No adapters",
  ],
  [
    "tensorprotoutils.cc:1490 Validate Initializer 'x' is too large.",
    "Initializer 'x' is too large.",
  ],
])("leaves out places in the library's code: %s", async (message, why) => {
  const models = createModelCache(() => Promise.reject(new Error(message)), { idleMs });
  await expect(models.acquire(hibari)).rejects.toMatchObject({ sent: { params: { why } } });
});

it.each([
  ["that says more itself", new AppError("model.damaged", { model: "hibari", file: "model.onnx" })],
  ["of a full disk", Object.assign(new Error("no space"), { code: "ENOSPC" })],
])("passes on an error %s", async (_, error) => {
  const models = createModelCache(() => Promise.reject(error), { idleMs });
  await expect(models.acquire(hibari)).rejects.toBe(error);
});

it("does not cache a failed load", async () => {
  let attempts = 0;
  const models = createModelCache(
    async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("damaged");
      return { close: async () => {} };
    },
    { idleMs },
  );
  const both = await Promise.allSettled([models.acquire(silero), models.acquire(silero)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await models.acquire(silero);
  expect(attempts).toBe(2);
});

it("reports the growth of the process caused by each model while it is loaded", async () => {
  const memoryReports: unknown[] = [];
  const { models } = counted(() => memoryReports.push(models.loadedModels()));
  expect(models.loadedModels()).toEqual([]);
  const loading = models.acquire(silero);
  expect(models.loadedModels()).toEqual([]);
  await loading;
  await models.lease(hibari, async () =>
    expect(models.loadedModels()).toEqual([
      ["silero-vad", 100],
      ["hibari", 100],
    ]),
  );
  await vi.advanceTimersByTimeAsync(idleMs);
  expect(memoryReports).toEqual([
    [["silero-vad", 100]],
    [
      ["silero-vad", 100],
      ["hibari", 100],
    ],
    [["silero-vad", 100]],
  ]);
});

it("never reports a negative size", async () => {
  let heldBytes = 1000;
  const models = createModelCache(
    async () => {
      await Promise.resolve();
      heldBytes -= 100;
      return { close: async () => {} };
    },
    { idleMs, heldBytes: () => heldBytes },
  );
  await models.acquire(silero);
  expect(models.loadedModels()).toEqual([["silero-vad", 0]]);
});
