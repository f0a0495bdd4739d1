import { createHash } from "node:crypto";
import { cp, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadSpeechToText, loadTextToSpeech, loadVad } from "../../../main/engines/engine-list.ts";
import { createModelFiles } from "../../../main/engines/model-files.ts";
import { shippedCatalog } from "../../../main/models/catalog/shipped.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { writeModel } from "../../support/model-folder.ts";
import { openTestFolder } from "../../support/test-data.ts";

/** A copy of a model's folder whose files a test may damage. */
async function copied(id: string) {
  const folder = await openTestFolder();
  await cp(shippedModel(id).dir, join(folder, id), { recursive: true });
  return shippedModel(id, folder);
}

async function flipByte(path: string, at: number): Promise<void> {
  const file = await open(path, "r+");
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  await file.write(Uint8Array.of((byte[0] ?? 0) ^ 1), 0, 1, at);
  await file.close();
}

it.each(shippedCatalog.map(({ id }) => id))("verifies every byte of %s", async (id) => {
  const model = shippedModel(id);
  for (const { name, sha256 } of model.files) {
    expect(
      createHash("sha256")
        .update(await createModelFiles(model).read(name))
        .digest("hex"),
    ).toBe(sha256);
  }
});

it("names the file with a damaged byte", async () => {
  const model = await copied("moonshine-base");
  await flipByte(join(model.dir, "decoder_model.onnx"), 1_000_000);
  await expect(loadSpeechToText(model)).rejects.toThrow(
    "decoder_model.onnx of moonshine-base is damaged",
  );
});

it("names the truncated file", async () => {
  const model = await copied("silero-vad");
  const file = await open(join(model.dir, "silero_vad_v6_sequence.onnx"), "r+");
  await file.truncate(1000);
  await file.close();
  await expect(loadVad(model)).rejects.toThrow(
    "silero_vad_v6_sequence.onnx of silero-vad is damaged",
  );
});

it("names the missing file", async () => {
  const model = await copied("hibari");
  await rm(join(model.dir, "oov.json"));
  await expect(loadTextToSpeech(model)).rejects.toThrow(/oov\.json/);
});

it("reads no file that the catalog does not list", async () => {
  const model = shippedModel("silero-vad");
  await expect(createModelFiles(model).read("LICENSE")).rejects.toThrow("lists no file LICENSE");
  expect((await readFile(join(model.dir, "LICENSE"))).length).toBeGreaterThan(0);
});

it("rejects a model whose engine has another task", () => {
  expect(() => loadSpeechToText(shippedModel("hibari"))).toThrow("hibari cannot transcribe");
  expect(() => loadTextToSpeech(shippedModel("moonshine-base"))).toThrow(
    "moonshine-base cannot synthesize",
  );
});

it("notices a file that changed after it was verified", async () => {
  const model = await copied("silero-vad");
  const { read } = createModelFiles(model);
  await read("silero_vad_v6_sequence.onnx");
  await flipByte(join(model.dir, "silero_vad_v6_sequence.onnx"), 5000);
  await expect(read("silero_vad_v6_sequence.onnx")).rejects.toThrow("is damaged");
});

it("trusts files that were not written since the model was installed", async () => {
  const files = new Map([["a.txt", Buffer.from("hello")]]);
  const written = await writeModel({ family: "whisper", languages: [] }, files);
  const model = {
    ...written,
    files: written.files.map((file) => ({ ...file, sha256: "0".repeat(64) })),
  };
  const nowSec = Date.now() / 1000;
  const before = createModelFiles({ ...model, installedAt: Math.floor(nowSec) - 60 });
  await expect(before.read("a.txt")).rejects.toThrow("is damaged");
  const after = createModelFiles({ ...model, installedAt: Math.ceil(nowSec) + 60 });
  expect((await after.read("a.txt")).toString()).toBe("hello");
});

it("verifies the external data of a graph before opening it", async () => {
  const model = await writeModel(
    { family: "whisper", languages: [] },
    new Map([
      ["model.onnx", Buffer.from("graph")],
      ["model.onnx_data", Buffer.from("weights")],
    ]),
  );
  await flipByte(join(model.dir, "model.onnx_data"), 3);
  await expect(createModelFiles(model).openGraph("model.onnx")).rejects.toThrow(
    "model.onnx_data of tiny-whisper is damaged",
  );
});
