import fs, { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { type CatalogEntry, preparedFolderName } from "../../../main/contract/models.ts";
import { createMessage } from "../../../main/contract/messages/messages.ts";
import { createModelStore, type ModelStore } from "../../../main/models/model-store.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { hookWrites } from "../../../main/storage/disk.ts";
import { quietLog } from "../../support/app.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { writeKitten } from "../../support/tiny-sherpa-voices.ts";

const shippedIds = [
  "moonshine-base",
  "whisper-base",
  "hibari",
  "kokoro",
  "silero-vad",
  "pyannote-community-1",
];
const silero = shippedModel("silero-vad");
const entry: CatalogEntry = { ...silero, id: "silero-copy" };

async function open() {
  const dataDir = await openTestFolder();
  const openAgain = (): ModelStore => createModelStore({ dataDir, log: quietLog, retryDelayMs: 1 });
  return { dataDir, modelsDir: join(dataDir, "models"), store: openAgain(), openAgain };
}

/** A folder as a download leaves it. */
async function fetched({ incomingDir }: ModelStore, name = "one"): Promise<string> {
  const folder = join(incomingDir, name);
  await mkdir(incomingDir, { recursive: true });
  await cp(silero.dir, folder, { recursive: true });
  return folder;
}

const voicesIn = (opened: ModelStore, id: string) => opened.find(id)?.voices?.map((one) => one.id);
const ids = (store: ModelStore): string[] => store.list().map(({ id }) => id);

it("starts with the models that come with the app", async () => {
  const { store } = await open();
  expect(ids(store)).toEqual(shippedIds);
});

it("lists a model as soon as it is installed, and at the next start", async () => {
  const { store, openAgain, modelsDir } = await open();
  let changes = 0;
  store.onChange(() => (changes += 1));
  const before = store.list();
  expect(store.list()).toBe(before);
  const model = await store.install(entry, await fetched(store), "downloaded");
  expect(changes).toBe(1);
  expect(store.list()).toHaveLength(before.length + 1);
  expect(model).toMatchObject({ id: "silero-copy", origin: "downloaded" });
  expect(model.dir).toBe(join(modelsDir, "silero-copy"));
  expect(openAgain().find("silero-copy")).toEqual(model);
  expect(await readdir(store.incomingDir)).toEqual([]);
});

it("names the voices of a model that lists none, also of one that an earlier version installed", async () => {
  const { store, openAgain, modelsDir } = await open();
  const install = async (id: string) => {
    const folder = join(store.incomingDir, id);
    const model = writeKitten(folder, ["expr-voice-2-m", "expr-voice-2-f"]);
    return store.install({ ...model, id }, folder, "imported");
  };
  const names = ["expr-voice-2-m", "expr-voice-2-f"];
  await install("kitten");
  expect([voicesIn(store, "kitten"), voicesIn(openAgain(), "kitten")]).toEqual([names, names]);

  const { voices: _, ...earlier } = await install("earlier");
  await writeFile(join(modelsDir, "earlier", "manifest.json"), JSON.stringify(earlier));
  const later = openAgain();
  expect(voicesIn(later, "earlier")).toBeUndefined();
  await later.recover();
  expect(voicesIn(later, "earlier")).toEqual(names);
});

it("removes a model with its files", async () => {
  const { store, openAgain, modelsDir } = await open();
  await store.install(entry, await fetched(store), "imported");
  await store.remove("silero-copy");
  expect(store.find("silero-copy")).toBeUndefined();
  expect(openAgain().find("silero-copy")).toBeUndefined();
  expect(await readdir(modelsDir)).toEqual([".incoming"]);
  expect(await readdir(store.incomingDir)).toEqual([]);
});

it("neither removes nor replaces a model that comes with the app, nor removes one that is not there", async () => {
  const { store } = await open();
  await expect(store.remove("silero-vad")).rejects.toMatchObject({ key: "conflict" });
  await expect(store.remove("nothing")).rejects.toMatchObject({ key: "not_found" });
  await expect(
    store.install({ ...entry, id: "silero-vad" }, await fetched(store), "imported"),
  ).rejects.toMatchObject({ key: "conflict" });
  expect(ids(store)).toContain("silero-vad");
});

it("installs no model with a missing file, and none outside its folder", async () => {
  const { store } = await open();
  const folder = await fetched(store);
  await expect(store.install({ ...entry, id: "../silero" }, folder, "imported")).rejects.toThrow(
    "must be up to 200 letters",
  );
  await rm(join(folder, "silero_vad_v6_sequence.onnx"));
  await expect(store.install(entry, folder, "imported")).rejects.toMatchObject({
    key: "model_unusable",
  });
  expect(store.find("silero-copy")).toBeUndefined();
});

it("lists a model whose file is incomplete as damaged, and installs it anew", async () => {
  const { store, openAgain, modelsDir } = await open();
  await store.install(entry, await fetched(store), "downloaded");
  await writeFile(join(modelsDir, "silero-copy", "silero_vad_v6_sequence.onnx"), "cut off");
  const later = openAgain();
  expect(later.find("silero-copy")?.damaged).toMatchObject({ id: "model.incomplete" });
  await later.install(entry, await fetched(later), "downloaded");
  expect(later.find("silero-copy")?.damaged).toBeUndefined();
  expect(ids(later).filter((id) => id === "silero-copy")).toHaveLength(1);
});

/** Lets renames fail, by their number. */
function failRenames(code: string, fails: (rename: number) => boolean): void {
  let renames = 0;
  const unhook = hookWrites((operation) => {
    if (operation !== "rename") return;
    renames += 1;
    if (fails(renames)) throw Object.assign(new Error(code), { code });
  });
  onTestFinished(unhook);
}

it("keeps a model that another one cannot replace", async () => {
  const { store, modelsDir } = await open();
  const { dir } = await store.install(entry, await fetched(store), "downloaded");
  const names = await readdir(dir);
  // The old one is moved aside, the new one cannot be put in place, the old one comes back.
  failRenames("ENOSPC", (count) => count === 2);
  await expect(
    store.install({ ...entry, name: "other" }, await fetched(store), "downloaded"),
  ).rejects.toMatchObject({ code: "ENOSPC" });
  expect(store.find("silero-copy")?.name).toBe(entry.name);
  expect(await readdir(dir)).toEqual(names);
  expect(await readdir(join(modelsDir, ".replaced"))).toEqual([]);
});

it.each(["EPERM", "EBUSY", "EACCES"])(
  "waits for another program that holds a model's files (%s)",
  async (code) => {
    const { store, modelsDir } = await open();
    await store.install(entry, await fetched(store), "downloaded");
    failRenames(code, (count) => count <= 3);
    await store.install({ ...entry, name: "other" }, await fetched(store), "downloaded");
    expect(store.find("silero-copy")?.name).toBe("other");
    expect(await readdir(join(modelsDir, ".replaced"))).toEqual([]);
  },
);

it("puts a model back that was being replaced when the process was killed", async () => {
  const { store, openAgain, modelsDir } = await open();
  const { dir } = await store.install(entry, await fetched(store), "downloaded");
  const replacedDir = join(modelsDir, ".replaced");
  await mkdir(replacedDir);
  await rename(dir, join(replacedDir, "silero-copy~1"));
  const later = openAgain();
  expect(later.find("silero-copy")).toBeUndefined();
  await later.recover();
  expect(later.find("silero-copy")).toEqual(store.find("silero-copy"));
  expect(openAgain().find("silero-copy")).toEqual(store.find("silero-copy"));
  // Killed later: the new one is there already.
  await cp(dir, join(replacedDir, "silero-copy~2"), { recursive: true });
  await openAgain().recover();
  expect(await readdir(replacedDir)).toEqual([]);
  expect(openAgain().find("silero-copy")?.damaged).toBeUndefined();
});

it("does not bring back a replaced model that could not be deleted once the model is removed", async () => {
  const { store, openAgain } = await open();
  await store.install(entry, await fetched(store), "downloaded");
  const deleting = vi.spyOn(fs, "rm").mockRejectedValue(new Error("held"));
  syncBuiltinESMExports();
  try {
    await store.install({ ...entry, name: "other" }, await fetched(store), "downloaded");
    expect(deleting).toHaveBeenCalledOnce();
  } finally {
    deleting.mockRestore();
    syncBuiltinESMExports();
  }
  await store.remove("silero-copy");
  const later = openAgain();
  await later.recover();
  expect(later.find("silero-copy")).toBeUndefined();
});

it("deletes what an engine had not finished when the process was killed", async () => {
  const { store } = await open();
  const { dir } = await store.install(entry, await fetched(store), "downloaded");
  const prepared = join(dir, preparedFolderName);
  await mkdir(prepared);
  for (const name of ["tokens.txt", "tokens.txt.1234.partial"])
    await writeFile(join(prepared, name), "a 0");
  await store.recover();
  expect(await readdir(prepared)).toEqual(["tokens.txt"]);
});

it("lists no model without its files, in whatever order it is installed and removed", async () => {
  const { store, modelsDir } = await open();
  await store.install(entry, await fetched(store), "downloaded");
  for (let round = 0; round < 20; round += 1) {
    const [one, other] = [await fetched(store, "one"), await fetched(store, "other")];
    const results = await Promise.allSettled([
      store.remove("silero-copy"),
      store.install(entry, one, "downloaded"),
      store.install(entry, other, "downloaded"),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array(3).fill("fulfilled"));
    expect(ids(store).filter((id) => id === "silero-copy")).toHaveLength(1);
    expect(await readdir(join(modelsDir, "silero-copy"))).toContain("manifest.json");
    expect(await readdir(store.incomingDir)).toEqual([]);
  }
});

it("leaves out a folder without a manifest, or with one that is broken or of another model", async () => {
  const { store, openAgain, modelsDir } = await open();
  const { dir } = await store.install(entry, await fetched(store), "downloaded");
  await cp(dir, join(modelsDir, "without"), { recursive: true });
  await rm(join(modelsDir, "without", "manifest.json"));
  await cp(dir, join(modelsDir, "broken"), { recursive: true });
  await writeFile(join(modelsDir, "broken", "manifest.json"), "{");
  await cp(dir, join(modelsDir, "outside"), { recursive: true });
  await writeFile(
    join(modelsDir, "outside", "manifest.json"),
    (await readFile(join(dir, "manifest.json"), "utf8"))
      .replace("silero-copy", "outside")
      .replaceAll("silero_vad_v6_sequence.onnx", "../silero-copy/silero_vad_v6_sequence.onnx"),
  );
  await rename(dir, join(modelsDir, "renamed"));
  expect(ids(openAgain())).toEqual(shippedIds);
});

it("sets a damaged model aside, but not the only model for voice activity", async () => {
  const { store } = await open();
  const reason = createMessage("model.damaged", { file: "a", model: "whisper-base" });
  let changes = 0;
  store.onChange(() => (changes += 1));
  store.setDamaged("whisper-base", reason);
  store.setDamaged("whisper-base", createMessage("model.removed", { model: "whisper-base" }));
  store.setDamaged("silero-vad", reason);
  store.setDamaged("nothing", reason);
  expect(changes).toBe(1);
  expect(store.list().map(({ id, damaged }) => [id, damaged])).toEqual([
    ["moonshine-base", undefined],
    ["whisper-base", reason],
    ["hibari", undefined],
    ["kokoro", undefined],
    ["silero-vad", undefined],
    ["pyannote-community-1", undefined],
  ]);
});

it("keeps what was measured, also of models that come with the app", async () => {
  const { store, openAgain } = await open();
  const measured = {
    speed: 35.5,
    memoryBytes: 2e8,
    providerReasons: [createMessage("model.providerDiffers", { provider: "WebGPU" })],
    doubt: createMessage("model.silence"),
    measuredAt: 1_790_000_000,
  };
  store.recordMeasurement("whisper-base", measured);
  expect(store.find("whisper-base")?.measured).toEqual(measured);
  expect(openAgain().find("whisper-base")?.measured).toEqual(measured);
});
