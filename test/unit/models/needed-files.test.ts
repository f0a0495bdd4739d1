import { expect, it } from "vitest";
import { plannedImport } from "../../../main/contract/model-downloads.ts";
import { neededFiles } from "../../../main/models/archives/needed-files.ts";
import { catalog } from "../../../main/models/catalog.ts";

const mb = 1e6;
const small = (name: string, content: object | string) => {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { name: `whisper/${name}`, sizeBytes: text.length, text };
};
const large = (name: string, sizeBytes = 9 * mb) => ({ name: `whisper/${name}`, sizeBytes });
const texts = [
  small("config.json", { model_type: "whisper" }),
  small("generation_config.json", { lang_to_id: { "<|en|>": 1, "<|de|>": 2 } }),
  small("README.md", "how it was made"),
];
const needed = [
  large("tokenizer.json", 2 * mb),
  large("onnx/encoder_model_quantized.onnx"),
  large("onnx/decoder_model_merged_quantized.onnx"),
];
const others = [
  large("onnx/encoder_model.onnx"),
  large("onnx/encoder_model.onnx_data"),
  large("onnx/decoder_model_merged_fp16.onnx"),
  large("model.safetensors"),
];
const namesOf = async (files: Parameters<typeof neededFiles>[0]): Promise<string[]> =>
  (await neededFiles(files, catalog)).map(({ name }) => name);

it("leaves out other precisions of a model and weights for other programs", async () => {
  expect(await namesOf([...texts, ...others, ...needed])).toEqual(
    [...texts, ...needed].map(({ name }) => name),
  );
});

it("leaves out nothing of what it does not recognize, or what this app exported", async () => {
  const unknown = [...others, ...needed];
  expect(await neededFiles(unknown, catalog)).toEqual(unknown);
  const exported = [small("manifest.json", {}), ...texts, ...others, ...needed];
  expect(await neededFiles(exported, catalog)).toEqual(exported);
});

it("keeps files that may be those of a model of the catalog", async () => {
  const sizeBytes = Math.max(
    ...catalog.flatMap(({ files }) => files.map((file) => file.sizeBytes)),
  );
  const known = large("onnx/encoder_model_q4.onnx", sizeBytes);
  expect(await namesOf([...texts, ...needed, known])).toContain(known.name);
});

it("refuses a model of NeMo that only streams", async () => {
  const files = ["encoder", "decoder", "joiner"].map((part) => large(`${part}-chunk-16.onnx`));
  const task = neededFiles([...files, small("tokens.txt", "▁a 0\n<blk> 1\n")], catalog);
  await expect(task).rejects.toMatchObject({ sent: { id: "model.onlyStreams" } });
});

const plan = (name: string) => plannedImport.safeParse({ sizeBytes: 1, files: [large(name)] });
it("refuses paths of hundreds of folders, each of which would be searched", () => {
  expect(plan("a/".repeat(100)).success).toBe(true);
  expect(plan("a/".repeat(1000)).success).toBe(false);
});
