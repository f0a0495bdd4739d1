import { createHash } from "node:crypto";
import { cp, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadSpeechToText, loadTextToSpeech, loadVad } from "../../../main/engines/engine-list.ts";
import { createModelFileReader } from "../../../main/engines/model-files.ts";
import { shippedCatalog } from "../../../main/models/catalog/shipped.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
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
        .update(await createModelFileReader(model)(name))
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
  await expect(createModelFileReader(model)("LICENSE")).rejects.toThrow("lists no file LICENSE");
  expect((await readFile(join(model.dir, "LICENSE"))).length).toBeGreaterThan(0);
});

it("rejects a model whose engine has another task", () => {
  expect(() => loadSpeechToText(shippedModel("hibari"))).toThrow("hibari cannot transcribe");
  expect(() => loadTextToSpeech(shippedModel("moonshine-base"))).toThrow(
    "moonshine-base cannot synthesize",
  );
});
