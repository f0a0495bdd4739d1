// Exports of other sizes, described by configuration files like those on the Hugging Face hub.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  readConfiguration,
  type WhisperConfiguration,
} from "../../../../../main/engines/stt/whisper/configuration.ts";
import { shippedModel } from "../../../../../main/models/shipped-models.ts";

const { dir } = shippedModel("whisper-base");

/** Reads the configuration of our own model with these values changed. */
async function configurationOf(config: object, generation: object): Promise<WhisperConfiguration> {
  const changes: Readonly<Record<string, object>> = {
    "config.json": config,
    "generation_config.json": generation,
  };
  const { configuration } = await readConfiguration(async (name) =>
    JSON.stringify({
      ...(JSON.parse(await readFile(join(dir, name), "utf8")) as object),
      ...changes[name],
    }),
  );
  return configuration;
}

it("reads the third vocabulary: 128 bands, Cantonese, and all later ids shifted by one", async () => {
  const found = await configurationOf(
    { num_mel_bins: 128, decoder_layers: 4, decoder_attention_heads: 20 },
    {
      no_timestamps_token_id: 50_364,
      prev_sot_token_id: 50_362,
      task_to_id: { transcribe: 50_360, translate: 50_359 },
      lang_to_id: { "<|en|>": 50_259, "<|yue|>": 50_358 },
      alignment_heads: [
        [2, 4],
        [3, 11],
      ],
    },
  );
  expect(found).toMatchObject({
    melBands: 128,
    noSpeechToken: 50_363,
    noTimestampsToken: 50_364,
    firstTimestamp: 50_365,
    previousToken: 50_362,
    tasks: { transcribe: 50_360, translate: 50_359 },
  });
  expect(found.languages.get("yue")).toBe(50_358);
  expect(found.alignmentHeads).toEqual([
    { layer: 2, head: 4 },
    { layer: 3, head: 11 },
  ]);
});

it.each([
  [{ max_source_positions: undefined }, {}],
  [{ max_target_positions: "448" }, {}],
  [{ num_mel_bins: 0 }, {}],
  [{ decoder_layers: -1 }, {}],
  [{}, { eos_token_id: undefined }],
])("refuses a model without its dimensions and tokens: %j %j", async (config, generation) => {
  await expect(configurationOf(config, generation)).rejects.toThrow("no Whisper model");
});

it("reads an English-only vocabulary, which has neither languages nor tasks", async () => {
  const figures = {
    decoder_start_token_id: 50_257,
    eos_token_id: 50_256,
    no_timestamps_token_id: 50_362,
    prev_sot_token_id: 50_360,
    is_multilingual: false,
  };
  for (const more of [{ lang_to_id: undefined, task_to_id: undefined }, {}]) {
    const found = await configurationOf({}, { ...figures, ...more });
    expect(found).toMatchObject({
      startToken: 50_257,
      endToken: 50_256,
      noSpeechToken: 50_361,
      firstTimestamp: 50_363,
      tasks: undefined,
    });
    expect(found.languages.size).toBe(0);
  }
});

it.each([
  ["no heads are configured", undefined],
  ["the heads are those of a larger model", [[7, 0]]],
])("uses the upper half of the layers for alignment where %s", async (_, heads) => {
  const { alignmentHeads } = await configurationOf(
    { decoder_layers: 3, decoder_attention_heads: 2 },
    { alignment_heads: heads },
  );
  expect(alignmentHeads).toEqual([
    { layer: 1, head: 0 },
    { layer: 1, head: 1 },
    { layer: 2, head: 0 },
    { layer: 2, head: 1 },
  ]);
});

it("rejects a model that is not Whisper", async () => {
  await expect(configurationOf({}, { no_timestamps_token_id: undefined })).rejects.toThrow(
    "no Whisper model",
  );
});
