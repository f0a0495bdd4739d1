import { totalmem } from "node:os";
import { describe, expect, it } from "vitest";
import { createRegistry } from "../../../../main/channels/registry.ts";
import { createMessage } from "../../../../main/contract/messages/messages.ts";
import type { EngineMemory } from "../../../../main/contract/speech.ts";
import { api } from "../../../../main/contract/api.ts";
import type { ListedModel } from "../../../../main/contract/window-api.ts";
import { catalog } from "../../../../main/models/catalog.ts";
import { createModelNames } from "../../../../main/models/defaults.ts";
import { createClipMeasurements } from "../../../../main/models/clip-measurements.ts";
import { createModelStore } from "../../../../main/models/model-store.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import { modelRoutes } from "../../../../main/server/app-api/models.ts";
import { neverAborted, quietLog } from "../../../support/app.ts";
import { createFakeChannel } from "../../../support/fake-channel.ts";
import { installCopy, noChoices } from "../../../support/local-models.ts";
import { toRegisteredChannel } from "../../../support/gateway-server.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const hibari = shippedModel("hibari");

async function open(memory: EngineMemory["models"] = new Map()) {
  const dataDir = await openTestFolder();
  const models = createModelStore({ dataDir, log: quietLog });
  const names = createModelNames(models.list, () => noChoices);
  const measurements = createClipMeasurements({ dataDir, onChange() {}, log: quietLog });
  const local = toRegisteredChannel({ ...createFakeChannel(), isLocal: true, models: names.list });
  const all = [local];
  const { handlers } = modelRoutes({
    registry: createRegistry(() => all),
    models,
    names,
    measurements,
    engineMemory: () => ({ processes: 0, bytes: 0, models: memory }),
    configuration: { prices: () => ({}) },
    dataDir,
  });
  const list = async () =>
    api.listModels.response.parse(await handlers.listModels?.({}, "", neverAborted()));
  return {
    models,
    measurements,
    list,
    find: async (id: string): Promise<ListedModel | undefined> =>
      (await list()).models.find((model) => model.id === id),
    remove: async (id: string) => handlers.removeModel?.({}, id, neverAborted()),
    install: (changes = {}) => installCopy(models, hibari, { id: "hibari-copy", ...changes }),
  };
}

const errors = (substituted: number, deleted: number, inserted: number) => ({
  substituted,
  deleted,
  inserted,
});

describe("the list of models", () => {
  it("has names, models on this machine, and what could be installed, but no voice activity", async () => {
    const { list } = await open();
    const { models } = await list();
    expect(models.filter(({ state }) => state === "ready").map(({ id }) => id)).toEqual([
      "whisper-1",
      "tts-1",
      "tts-1-hd",
      "moonshine-base",
      "whisper-base",
      "hibari",
      "kokoro",
    ]);
    const available = models.filter(({ state }) => state === "available").map(({ id }) => id);
    expect(available).toEqual(catalog.map(({ id }) => id).filter((id) => available.includes(id)));
    expect(available).toContain("parakeet-tdt-0.6b-v3");
    expect(available).not.toContain("whisper-base");
    expect(models.map(({ id }) => id)).not.toContain("silero-vad");
  });

  it("tells which models run on the CPU only, and which can be downloaded", async () => {
    const { find } = await open();
    const facts = async (id: string) => {
      const { isCpuOnly, isDownloadable } = (await find(id)) ?? {};
      return { isCpuOnly, isDownloadable };
    };
    expect(await facts("whisper-base")).toEqual({ isCpuOnly: false, isDownloadable: false });
    expect(await facts("whisper-small")).toEqual({ isCpuOnly: false, isDownloadable: true });
    expect(await facts("parakeet-tdt-0.6b-v3")).toEqual({ isCpuOnly: true, isDownloadable: true });
    expect(await facts("kokoro")).toEqual({ isCpuOnly: true, isDownloadable: false });
  });

  it("reports what a model can do and needs", async () => {
    const { find } = await open(new Map([["whisper-base", { bytes: 2e8, isLoaded: true }]]));
    expect(await find("whisper-base")).toMatchObject({
      family: "whisper",
      origin: "shipped",
      capabilities: { wordTimes: true, translatesTo: ["en"] },
      memoryNeedBytes: 2e8,
    });
    expect(await find("parakeet-tdt-0.6b-v3")).toMatchObject({
      channel: "local",
      sizeBytes: 670_478_772,
      licence: "CC-BY-4.0",
      errorRates: { en: { rate: 0.0483, testSet: "FLEURS, transcribe.cpp" } },
    });
    expect(await find("sense-voice-small")).toMatchObject({ mustAcceptLicence: true });
    expect((await find("whisper-1"))?.memory).toEqual([
      { model: "moonshine-base", isLoaded: false },
      { model: "whisper-base", bytes: 2e8, isLoaded: true },
    ]);
  });

  it("says that this machine lacks memory for a model", async () => {
    const { find } = await open(
      new Map([["whisper-small", { bytes: totalmem(), isLoaded: false }]]),
    );
    expect((await find("whisper-small"))?.lacks).toBe("memory");
  });

  it("says whether speakers can be told apart, which takes a model that nobody asks for by name", async () => {
    const { models, list } = await open();
    expect((await list()).tellsSpeakersApart).toBe(true);
    const file = "segmentation.onnx";
    const reason = createMessage("model.damaged", { file, model: "pyannote-community-1" });
    models.setDamaged("pyannote-community-1", reason);
    expect((await list()).tellsSpeakersApart).toBe(false);
  });

  it("follows installing, measuring, damage and removal", async () => {
    const { models, find, install, remove } = await open();
    expect(await find("hibari-copy")).toBeUndefined();
    await install();
    models.recordMeasurement("hibari-copy", { speed: 60, measuredAt: 1_790_000_000 });
    expect(await find("hibari-copy")).toMatchObject({
      state: "ready",
      origin: "downloaded",
      measured: { speed: 60 },
    });
    const reason = createMessage("model.damaged", { file: "hibari.onnx", model: "hibari-copy" });
    models.setDamaged("hibari-copy", reason);
    expect(await find("hibari-copy")).toMatchObject({ state: "damaged", damaged: reason });
    expect(await remove("hibari-copy")).toEqual({ removed: true });
    expect(await find("hibari-copy")).toBeUndefined();
  });

  it("reports the error rates that the user measured", async () => {
    const { measurements, find } = await open();
    const clip = { model: "whisper-base", unit: "words", rate: 0, measuredAt: 1 } as const;
    measurements.add({ ...clip, clip: "one", language: "de", length: 10, ...errors(3, 0, 0) });
    measurements.add({ ...clip, clip: "two", language: "de", length: 30, ...errors(0, 1, 2) });
    measurements.add({ ...clip, clip: "two", language: "fr", length: 10, ...errors(0, 0, 0) });
    expect((await find("whisper-base"))?.measuredErrorRates).toEqual({
      de: { rate: 0.15, unit: "words", clips: 2 },
      fr: { rate: 0, unit: "words", clips: 1 },
    });
    expect((await find("moonshine-base"))?.measuredErrorRates).toBeUndefined();
    const [removed] = catalog.filter(({ sources }) => sources.length > 0);
    const id = removed?.id ?? "";
    measurements.add({
      ...clip,
      model: id,
      clip: "one",
      language: "de",
      length: 4,
      ...errors(1, 0, 0),
    });
    expect(await find(id)).toMatchObject({
      state: "available",
      measuredErrorRates: { de: { rate: 0.25 } },
    });
  });

  it("names the default of each language", async () => {
    const { list, install } = await open();
    await install({ languages: [{ code: "de" }] });
    const { defaults } = await list();
    expect(defaults.transcribe).toMatchObject({
      en: "moonshine-base",
      de: "whisper-base",
      other: "whisper-base",
    });
    expect(defaults.translate).toMatchObject({ de: "whisper-base" });
    const kokoro = Object.fromEntries(
      ["es", "fr", "hi", "it", "pt"].map((code) => [code, "kokoro"]),
    );
    expect(defaults.speak).toEqual({ en: "hibari", de: "hibari-copy", ...kokoro, other: "hibari" });
    expect(defaults.speakHd).toMatchObject({ en: "kokoro" });
  });
});

it("a model that comes with the app is not removed, nor one that is not there", async () => {
  const { remove } = await open();
  await expect(remove("hibari")).rejects.toMatchObject({ key: "conflict" });
  await expect(remove("hibari-9")).rejects.toMatchObject({ key: "not_found" });
});
