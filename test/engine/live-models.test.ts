// Models that are installed, removed or damaged while the app runs, with real engines.

import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createRegistry } from "../../main/channels/registry.ts";
import type { ModelChoices } from "../../main/contract/preferences.ts";
import { createModelNames } from "../../main/models/defaults.ts";
import { createModelStore } from "../../main/models/model-store.ts";
import { shippedModel, shippedModels } from "../../main/models/shipped-models.ts";
import { createModelRoutes } from "../../main/server/v1/models.ts";
import {
  collectTranscript,
  neverAborted,
  openLocalChannel,
  quietLog,
  transcriptionJob,
} from "../support/app.ts";
import { installCopy, localModels, noChoices } from "../support/local-models.ts";
import { toRegisteredChannel } from "../support/fake-channel.ts";
import { writeModel } from "../support/tiny-sherpa-models.ts";
import {
  normalizeWords,
  openFolder,
  openTestFolder,
  synthesizeSamples,
  writeAudioFile,
} from "../support/test-data.ts";

const text = "Good morning. How are you today?";
const moonshine = shippedModel("moonshine-base");
const copyId = "english-copy";
const folder = await openFolder();
let recording: string;
beforeAll(async () => {
  const samples = await synthesizeSamples(text);
  recording = await writeAudioFile(join(folder.path, "greeting.flac"), samples);
});
afterAll(() => folder.remove());

async function open(choices: Partial<ModelChoices> = {}) {
  const store = createModelStore({ dataDir: await openTestFolder(), log: quietLog });
  const names = createModelNames(store.list, () => ({ ...noChoices, ...choices }));
  const { channel, close } = await openLocalChannel({
    local: { models: store.list, names },
    onUnusableModel: store.setDamaged,
  });
  onTestFinished(close);
  const all = [toRegisteredChannel(channel)];
  const routes = createModelRoutes(createRegistry(() => all));
  return {
    store,
    whyMissing: (id: string) => channel.whyMissing?.(id),
    listed: async () => {
      const { data } = (await routes.list().json()) as { data: { id: string }[] };
      return data.map(({ id }) => id);
    },
    transcribe: async (model: string, more = {}) =>
      normalizeWords(
        (
          await collectTranscript(
            channel.transcribe(transcriptionJob(recording, { model, ...more }), neverAborted()),
          )
        ).text,
      ),
    install: (damagedFile?: string) => installCopy(store, moonshine, { id: copyId }, damagedFile),
  };
}

it("offers and uses a model as soon as it is installed, and no longer once it is removed", async () => {
  const { listed, transcribe, install, store } = await open({ transcribe: { en: copyId } });
  const before = await listed();
  expect(before).toContain("moonshine-base");
  await install();
  expect(await listed()).toEqual([...before, copyId]);
  expect(await transcribe(copyId)).toBe(normalizeWords(text));
  expect(await transcribe("whisper-1", { language: "en" })).toBe(normalizeWords(text));
  await store.remove(copyId);
  expect(await listed()).toEqual(before);
  await expect(transcribe(copyId)).rejects.toMatchObject({ key: "unknown_model" });
  expect(await transcribe("whisper-1", { language: "en" })).toBe(normalizeWords(text));
}, 60_000);

it("sets a damaged model aside and goes on with another one", async () => {
  const { listed, transcribe, install, store } = await open({ transcribe: { en: copyId } });
  await install("vocabulary.json");
  expect(await listed()).toContain(copyId);
  expect(await transcribe("whisper-1", { language: "en" })).toBe(normalizeWords(text));
  expect(store.find(copyId)?.damaged).toMatchObject({ id: "model.damaged" });
  expect(await listed()).not.toContain(copyId);
}, 60_000);

it("sets a model aside that cannot be loaded although its files are whole, and goes on with another one", async () => {
  const { listed, transcribe, store, whyMissing } = await open({ transcribe: { en: copyId } });
  const incoming = join(store.incomingDir, "broken");
  const content = Object.fromEntries(moonshine.files.map(({ name }) => [name, "{}"]));
  const { family, kind } = moonshine;
  const broken = writeModel(incoming, content, { id: copyId, family, kind });
  await store.install(broken, incoming, "imported");
  expect(await transcribe("whisper-1", { language: "en" })).toBe(normalizeWords(text));
  expect(store.find(copyId)?.damaged).toMatchObject({ id: "model.notLoadable" });
  expect(whyMissing(copyId)?.message).toMatch(/is set aside .* cannot be loaded: ./);
  expect(await listed()).not.toContain(copyId);
}, 60_000);

it("says what is wrong with a damaged model that was asked for by name", async () => {
  const { transcribe, install, listed, whyMissing } = await open();
  await install("vocabulary.json");
  await expect(transcribe(copyId)).rejects.toMatchObject({ sent: { id: "model.damaged" } });
  expect(await listed()).not.toContain(copyId);
  expect(whyMissing(copyId)).toMatchObject({ sent: { id: "model.setAside" } });
  expect(whyMissing("moonshine-base")).toBeUndefined();
  expect(await transcribe("moonshine-base")).toBe(normalizeWords(text));
}, 60_000);

it("says that a model was removed while it was in use", async () => {
  const removed = { ...moonshine, id: copyId, dir: join(folder.path, "removed") };
  const { names } = localModels([...shippedModels(), removed]);
  const { channel, close } = await openLocalChannel({ local: { models: shippedModels, names } });
  onTestFinished(close);
  const job = transcriptionJob(recording, { model: copyId });
  await expect(collectTranscript(channel.transcribe(job, neverAborted()))).rejects.toMatchObject({
    sent: { id: "model.removed" },
  });
}, 60_000);
