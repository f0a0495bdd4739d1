import { join } from "node:path";
import { expect, it } from "vitest";
import type { InstalledModel, ModelVoice } from "../../../main/contract/models.ts";
import { withVoices } from "../../../main/models/speaker-voices.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { writeModel } from "../../support/tiny-sherpa-models.ts";
import {
  writeKitten,
  writeKokoro,
  writeMatcha,
  writeVits,
} from "../../support/tiny-sherpa-voices.ts";

async function voicesOf(write: (dir: string) => InstalledModel): Promise<readonly ModelVoice[]> {
  const model = write(join(await openTestFolder(), "model"));
  return (await withVoices(model, model.dir)).voices ?? [];
}
const ids = (voices: readonly ModelVoice[]): string[] => voices.map(({ id }) => id);

const piper =
  (config: object, name = "en_GB-vctk-medium") =>
  (dir: string): InstalledModel =>
    writeModel(
      dir,
      { [`${name}.onnx`]: "graph", [`${name}.onnx.json`]: JSON.stringify(config) },
      { id: "someone--voice", name: "someone/voice", family: "piper", kind: "text-to-speech" },
    );

it("a voice of Piper is named by its file", async () => {
  const config = { num_speakers: 1, speaker_id_map: {}, language: { code: "en_US" } };
  expect(await voicesOf(piper(config, "en_US-joe-medium"))).toEqual([
    { id: "joe", name: "Joe", character: "someone/voice", language: "en", region: "US" },
  ]);
  expect(ids(await voicesOf(piper(config, "model")))).toEqual(["someone--voice"]);
});

it("all speakers of a model of Piper have their names, in the order of their numbers", async () => {
  const config = { num_speakers: 3, speaker_id_map: { p225: 2, p226: 0, 12: 1 } };
  expect(ids(await voicesOf(piper(config)))).toEqual(["p226", "12", "p225"]);
  expect(ids(await voicesOf(piper({ num_speakers: 2 })))).toEqual([
    "someone--voice-0",
    "someone--voice-1",
  ]);
});

it("speakers of Kitten and Kokoro are named by their graph", async () => {
  const kitten = await voicesOf((dir) => writeKitten(dir, ["expr-voice-2-m", "expr-voice-2-f"]));
  expect(kitten).toMatchObject([
    { id: "expr-voice-2-m", gender: "male", language: "en" },
    { id: "expr-voice-2-f", gender: "female", language: "en" },
  ]);
  const kokoro = await voicesOf((dir) => writeKokoro(dir, ["af", "ef_dora", "zf_001"]));
  expect(kokoro).toMatchObject([
    { id: "af", name: "Af", language: "en" },
    { id: "ef_dora", name: "Dora", language: "es" },
    { id: "zf_001", name: "001", language: "zh" },
  ]);
});

it("the only speaker of a model without names has that of the model", async () => {
  expect(ids(await voicesOf(writeMatcha))).toEqual(["tiny-matcha"]);
  expect(await voicesOf(writeVits)).toMatchObject([{ id: "tiny-vits", language: "zh" }]);
});

it("leaves a model as it is that lists its voices", async () => {
  const voices = [{ id: "known", name: "Known", character: "", language: "en" }];
  expect(await voicesOf((dir) => ({ ...writeMatcha(dir), voices }))).toEqual(voices);
});
