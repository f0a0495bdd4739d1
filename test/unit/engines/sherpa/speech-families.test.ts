import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { speechFamilies } from "../../../../main/engines/sherpa/speech-families.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import { openTestFolder } from "../../../support/test-data.ts";

it("finds the voices of a Kokoro repository in a folder of any name", async () => {
  const dir = await openTestFolder();
  const folder = "kokoro (v1)+[all]";
  const content: Readonly<Record<string, string>> = {
    [`${folder}/model.onnx`]: "",
    [`${folder}/tokenizer.json`]: JSON.stringify({ model: { vocab: { a: 1 } } }),
    [`${folder}/voices/af_nova.bin`]: "nova",
    [`${folder}/voices/am_echo.bin`]: "echo",
  };
  for (const [name, text] of Object.entries(content)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  const files = Object.keys(content).map((name) => ({ name, sizeBytes: 1, sha256: "" }));
  const model = { ...shippedModel("hibari"), id: "kokoro", dir, files };
  const loaded = await speechFamilies.kokoro?.(model, dir);
  expect(loaded?.speakers).toEqual(["af_nova", "am_echo"]);
  const config = loaded?.config as { kokoro: { voices: string } } | undefined;
  expect(await readFile(config?.kokoro.voices ?? "", "utf8")).toBe("novaecho");
});
