import { describe, expect, it } from "vitest";
import { recognizeFamily } from "../../../main/models/families.ts";
import type { RecognizedModel } from "../../../main/models/families/family-recognizer.ts";

type TestFiles = Readonly<Record<string, number | string | object>>;

function textOf(content: number | string | object | undefined): string {
  if (typeof content === "number" || content === undefined) throw new Error("no text file");
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** Files given by size, text or JSON content. */
function recognize(
  name: string,
  files: TestFiles,
  graphTexts?: readonly string[],
): Promise<RecognizedModel | undefined> {
  return recognizeFamily({
    name,
    files: Object.entries(files).map(([fileName, content]) => ({
      name: fileName,
      sizeBytes: typeof content === "number" ? content : textOf(content).length,
    })),
    readText: async (fileName) => textOf(files[fileName]),
    ...(graphTexts === undefined
      ? {}
      : { contains: async (_: string, text: string) => graphTexts.includes(text) }),
  });
}

/** sherpa-onnx's list of tokens. */
const tokenList = (tokens: readonly string[]): string =>
  tokens.map((token, index) => `${token} ${index}\n`).join("");
const nemoTokens = (count: number): string =>
  tokenList([...Array.from({ length: count - 1 }, (_, index) => `▁t${index}`), "<blk>"]);

const whisperFiles = {
  "config.json": { model_type: "whisper", encoder_layers: 6, decoder_layers: 6 },
  "generation_config.json": {
    is_multilingual: true,
    lang_to_id: { "<|en|>": 50259, "<|de|>": 50261 },
  },
  "tokenizer.json": {},
  "onnx/encoder_model_quantized.onnx": 23_159_167,
  "onnx/decoder_model_merged_quantized.onnx": 53_712_708,
};

describe("Whisper on the model hub", () => {
  it("takes the quantized graphs of a repository that has all variants", async () => {
    const model = await recognize("onnx-community/whisper-base_timestamped", {
      ...whisperFiles,
      "README.md": 5000,
      LICENSE: 1000,
      "vocab.json": 800_000,
      "onnx/encoder_model.onnx": 82_000_000,
      "onnx/encoder_model_fp16.onnx": 41_000_000,
      "onnx/encoder_model_q4.onnx": 18_000_000,
      "onnx/decoder_model.onnx": 200_000_000,
      "onnx/decoder_with_past_model_quantized.onnx": 50_000_000,
      "onnx/decoder_model_merged.onnx": 208_000_000,
      "onnx/decoder_model_merged_q4.onnx": 123_700_000,
    });
    expect(model).toEqual({
      family: "whisper",
      kind: "speech-to-text",
      roles: {
        config: "config.json",
        generationConfig: "generation_config.json",
        tokenizer: "tokenizer.json",
        encoder: "onnx/encoder_model_quantized.onnx",
        decoder: "onnx/decoder_model_merged_quantized.onnx",
      },
      missingRoles: [],
      fileNames: [
        "config.json",
        "generation_config.json",
        "tokenizer.json",
        "onnx/encoder_model_quantized.onnx",
        "onnx/decoder_model_merged_quantized.onnx",
        "LICENSE",
      ],
      languages: ["en", "de"],
      capabilities: {
        wordTimes: true,
        languageDetection: true,
        prompt: true,
        streaming: false,
        translatesTo: ["en"],
      },
      entryFields: { batchMaxSec: 20, singlePassMaxSec: 30 },
    });
  });

  const allVariants = ["", "_fp16", "_q4", "_q4f16", "_int8", "_uint8", "_quantized", "_bnb4"];
  const inConfig = ["config.json", "generation_config.json", "tokenizer.json"] as const;
  const configuration = Object.fromEntries(inConfig.map((name) => [name, whisperFiles[name]]));
  const withGraphs = (stems: readonly string[], variants: readonly string[]): TestFiles => ({
    ...configuration,
    ...Object.fromEntries(
      stems.flatMap((stem) => variants.map((variant) => [`onnx/${stem}${variant}.onnx`, 1_000])),
    ),
  });

  it.each(allVariants)(
    "takes graphs whose names end in '%s', the hub's merged decoder",
    async (variant) => {
      const stems = ["encoder_model", "decoder_model_merged", "decoder_with_past_model"];
      const model = await recognize("whisper", withGraphs(stems, [variant]));
      expect(model?.fileNames).toEqual([
        ...inConfig,
        `onnx/encoder_model${variant}.onnx`,
        `onnx/decoder_model_merged${variant}.onnx`,
      ]);
    },
  );

  it.each([
    [allVariants, "_quantized"],
    [["_fp16", "_q4", "_q4f16", "_int8"], "_int8"],
    [["", "_fp16"], ""],
    [["_fp16", "_q4f16", "_q4"], "_q4"],
  ])("of the variants %j it takes '%s' only", async (variants, best) => {
    const model = await recognize(
      "whisper",
      withGraphs(["encoder_model", "decoder_model", "decoder_model_merged"], variants),
    );
    expect(model?.fileNames.slice(inConfig.length)).toEqual([
      `onnx/encoder_model${best}.onnx`,
      `onnx/decoder_model_merged${best}.onnx`,
    ]);
  });

  const splitDecoder = ["decoder_model", "decoder_with_past_model"];

  it("takes a decoder in two graphs of the same variant if there is no merged one", async () => {
    const files = {
      ...withGraphs(["encoder_model"], ["", "_quantized"]),
      ...withGraphs(splitDecoder, ["", "_fp16"]),
      "onnx/decoder_model_quantized.onnx": 53_300_000,
    };
    const model = await recognize("whisper-small-tonga", files);
    expect(model).toMatchObject({
      family: "whisper",
      roles: {
        encoder: "onnx/encoder_model_quantized.onnx",
        decoder: "onnx/decoder_model.onnx",
        decoderWithPast: "onnx/decoder_with_past_model.onnx",
      },
    });
    expect(model?.fileNames).toHaveLength(6);
  });

  it("does not take half of a decoder", async () => {
    for (const stem of splitDecoder)
      expect(await recognize("whisper", withGraphs(["encoder_model", stem], [""]))).toBeUndefined();
  });

  it("keeps the external data of a graph, and only of the one it takes", async () => {
    const model = await recognize("large-v3", {
      "config.json": { model_type: "whisper", encoder_layers: 32, decoder_layers: 32 },
      "generation_config.json": whisperFiles["generation_config.json"],
      "tokenizer.json": {},
      "encoder_model.onnx": 700_000,
      "encoder_model.onnx_data": 2_000_000_000,
      "encoder_model.onnx_data_1": 500_000_000,
      "encoder_model_fp16.onnx": 700_000,
      "encoder_model_fp16.onnx_data": 1_270_000_000,
      "decoder_model_merged_q4.onnx": 900_000_000,
    });
    expect(model?.fileNames).toEqual([
      "config.json",
      "generation_config.json",
      "tokenizer.json",
      "encoder_model.onnx",
      "encoder_model.onnx_data",
      "encoder_model.onnx_data_1",
      "decoder_model_merged_q4.onnx",
    ]);
  });

  it.each([
    ["turbo", { decoder_layers: 4, encoder_layers: 32 }, {}, [], true],
    ["English only", {}, { is_multilingual: false }, [], false],
    ["English only, not saying so", {}, { lang_to_id: undefined }, [], false],
    ["large", { decoder_layers: 32, encoder_layers: 32 }, {}, ["en"], true],
  ])("%s: what it translates and detects", async (_, config, generation, translatesTo, detects) => {
    const model = await recognize("whisper", {
      ...whisperFiles,
      "config.json": { ...whisperFiles["config.json"], ...config },
      "generation_config.json": { ...whisperFiles["generation_config.json"], ...generation },
    });
    expect(model?.capabilities).toMatchObject({ translatesTo, languageDetection: detects });
    expect(model?.languages).toEqual(detects ? ["en", "de"] : ["en"]);
  });

  it.each([
    ["onnx-community/whisper-tiny.en", 4, 4],
    ["Xenova/whisper-base.en", 6, 6],
    ["Xenova/whisper-small.en", 12, 12],
    ["onnx-community/distil-small.en", 12, 4],
  ])("English only, with all that is in %s", async (name, encoderLayers, decoderLayers) => {
    const model = await recognize(name, {
      ".gitattributes": 1_500,
      "README.md": 1_000,
      "added_tokens.json": 34_000,
      "merges.txt": 456_000,
      "normalizer.json": 52_000,
      "preprocessor_config.json": 340,
      "quantize_config.json": 3_000,
      "special_tokens_map.json": 2_000,
      "tokenizer_config.json": 283_000,
      "vocab.json": 999_000,
      ...withGraphs(
        ["encoder_model", "decoder_model", "decoder_model_merged", "decoder_with_past_model"],
        allVariants,
      ),
      "config.json": {
        model_type: "whisper",
        encoder_layers: encoderLayers,
        decoder_layers: decoderLayers,
      },
      "generation_config.json": { is_multilingual: false },
    });
    expect(model).toMatchObject({
      family: "whisper",
      languages: ["en"],
      capabilities: { languageDetection: false, translatesTo: [] },
    });
    expect(model?.fileNames).toEqual([
      ...inConfig,
      "onnx/encoder_model_quantized.onnx",
      "onnx/decoder_model_merged_quantized.onnx",
    ]);
  });

  it("has word times if the decoder returns attentions, whatever the name says", async () => {
    const outputs = ["cross_attentions.0"];
    const withOutputs = await recognize("my whisper", whisperFiles, outputs);
    const without = await recognize("whisper_timestamped", whisperFiles, []);
    expect(withOutputs?.capabilities.wordTimes).toBe(true);
    expect(without?.capabilities.wordTimes).toBe(false);
  });

  it("is not taken for it if the configuration is another model's, or unreadable", async () => {
    expect(
      await recognize("whisper", { ...whisperFiles, "config.json": { model_type: "bart" } }),
    ).toBeUndefined();
    expect(
      await recognize("whisper", { ...whisperFiles, "config.json": "<html>" }),
    ).toBeUndefined();
  });
});

describe("Moonshine", () => {
  it("is recognized as this app ships it", async () => {
    const model = await recognize("moonshine-base", {
      "encoder_model.onnx": 21_171_485,
      "cross_model.onnx": 2_808_838,
      "decoder_model.onnx": 39_060_830,
      "vocabulary.json": 307_260,
    });
    expect(model).toMatchObject({ family: "moonshine", languages: ["en"] });
  });

  it.each([
    ["csukuangfj2/sherpa-onnx-moonshine-base-es-quantized-2026-02-27", "tokens.txt", "es"],
    ["csukuangfj2/sherpa-onnx-moonshine-tiny-ja-quantized-2026-02-27", "tokens.txt", "ja"],
    ["sherpa-onnx-moonshine-tiny-ko-quantized-2026-02-27", "tokens.txt", "ko"],
    ["sherpa-onnx-moonshine-base-uk-quantized-2026-02-27", "tokens.txt", "uk"],
    ["sherpa-onnx-moonshine-base-vi-quantized-2026-02-27", "tokens.txt", "vi"],
    ["sherpa-onnx-moonshine-base-zh-quantized-2026-02-27", "tokens.txt", "zh"],
    ["base-ar", "tokenizer.bin", "ar"],
    ["moonshine_voice/assets/tiny-en", "tokenizer.bin", "en"],
  ])("v2: %s", async (name, tokens, language) => {
    const model = await recognize(name, {
      "encoder_model.ort": 13_281_600,
      "decoder_model_merged.ort": 30_412_256,
      [tokens]: 249_974,
      "test_wavs/0.wav": 200_000,
    });
    expect(model).toMatchObject({
      family: "moonshine-v2",
      languages: [language],
      roles: { tokens },
      fileNames: ["encoder_model.ort", "decoder_model_merged.ort", tokens],
    });
  });
});

const moonshineOfHub = (modelType: string): TestFiles => ({
  "config.json": { model_type: modelType },
  "generation_config.json": {},
  "tokenizer.json": {},
  "onnx/encoder_model.onnx": 30_900_000,
  "onnx/encoder_model_quantized.onnx": 7_940_000,
  "onnx/decoder_model_merged_quantized.onnx": 20_200_000,
});

it("takes Moonshine in the hub's layout, and not another model of it", async () => {
  const name = "onnx-community/moonshine-tiny-ko-ONNX";
  expect(await recognize(name, moonshineOfHub("moonshine"))).toMatchObject({
    family: "moonshine-v2",
    languages: ["ko"],
    fileNames: [
      "config.json",
      "tokenizer.json",
      "onnx/encoder_model_quantized.onnx",
      "onnx/decoder_model_merged_quantized.onnx",
    ],
  });
  expect(await recognize(name, moonshineOfHub("bart"))).toBeUndefined();
});

const parakeet = (tokens: string): TestFiles => ({
  "encoder.int8.onnx": 652_184_281,
  "decoder.int8.onnx": 11_845_275,
  "joiner.int8.onnx": 6_355_277,
  "tokens.txt": tokens,
  "test_wavs/de.wav": 100_000,
});

/** @param run the part of the names that identifies the training run of the weights */
const zipformer = (run: string): TestFiles => ({
  [`encoder${run}.onnx`]: 260_000_000,
  [`encoder${run}.int8.onnx`]: 68_000_000,
  [`decoder${run}.onnx`]: 2_000_000,
  [`decoder${run}.int8.onnx`]: 500_000,
  [`joiner${run}.onnx`]: 1_000_000,
  [`joiner${run}.int8.onnx`]: 250_000,
  "tokens.txt": tokenList(["<blk>", "<sos/eos>", "<unk>", "▁A"]),
  "bpe.model": 240_000,
});

describe("sherpa-onnx's recognizers", () => {
  it("distinguishes Parakeet v3 and v2 by their tokens", async () => {
    const v3 = await recognize("import", parakeet(nemoTokens(8193)));
    expect(v3).toMatchObject({
      family: "parakeet",
      roles: {
        encoder: "encoder.int8.onnx",
        decoder: "decoder.int8.onnx",
        joiner: "joiner.int8.onnx",
        tokens: "tokens.txt",
      },
      capabilities: { wordTimes: true, languageDetection: true, translatesTo: [] },
    });
    expect(v3?.languages).toHaveLength(25);
    expect(v3?.fileNames).toHaveLength(4);
    const v2 = await recognize("import", parakeet(nemoTokens(1025)));
    expect(v2).toMatchObject({ family: "parakeet", languages: ["en"] });
    expect(v2?.capabilities.languageDetection).toBe(false);
  });

  it("keeps the weights beside an unquantized Parakeet", async () => {
    const model = await recognize("sherpa-onnx-nemo-parakeet-tdt-0.6b-v3", {
      "encoder.onnx": 41_000_000,
      "encoder.weights": 2_400_000_000,
      "decoder.onnx": 47_000_000,
      "joiner.onnx": 25_000_000,
      "tokens.txt": nemoTokens(8193),
    });
    expect(model?.fileNames).toContain("encoder.weights");
  });

  it.each([
    ["sherpa-onnx-zipformer-vi-int8-2025-04-20", "-epoch-12-avg-8", ["vi"]],
    ["csukuangfj/sherpa-onnx-zipformer-en-2023-06-26", "-epoch-99-avg-1", ["en"]],
    ["sherpa-onnx-zipformer-korean-2024-06-24", "-epoch-99-avg-1", ["ko"]],
    ["sherpa-onnx-small-zipformer-ru-2024-09-18", "", ["ru"]],
    ["sherpa-onnx-zipformer-zh-en-2023-11-22", "-epoch-34-avg-19", ["zh", "en"]],
  ])("Zipformer %s", async (name, run, languages) => {
    const model = await recognize(name, zipformer(run));
    expect(model).toMatchObject({
      family: "zipformer",
      languages,
      capabilities: { wordTimes: true },
      roles: {
        encoder: `encoder${run}.int8.onnx`,
        decoder: `decoder${run}.onnx`,
        joiner: `joiner${run}.int8.onnx`,
      },
    });
  });

  it.each([
    ["its name", "sherpa-onnx-streaming-zipformer-en-20M-2023-02-17", "-epoch-99-avg-1", undefined],
    ["the names of its graphs", "import", "-epoch-9-avg-1-chunk-16-left-128", undefined],
    ["what its graphs say", "import", "", ["decode_chunk_len"]],
  ])("tells a streaming Zipformer by %s", async (_, name, run, graphTexts) => {
    const model = await recognize(name, zipformer(run), graphTexts);
    expect(model).toMatchObject({
      family: "zipformer-streaming",
      roles: { encoder: `encoder${run}.int8.onnx`, decoder: `decoder${run}.onnx` },
      languages: name === "import" ? [] : ["en"],
      capabilities: { streaming: true, wordTimes: true },
    });
  });

  it("takes the one with the longest context of several streaming Zipformers in a repository", async () => {
    const run = "-epoch-99-avg-1-chunk-16-left-";
    const files = { ...zipformer(`${run}64`), ...zipformer(`${run}128`) };
    const model = await recognize("sherpa-onnx-streaming-zipformer-en-2023-06-26", files);
    expect(model?.fileNames.toSorted()).toEqual([
      `decoder${run}128.onnx`,
      `encoder${run}128.int8.onnx`,
      `joiner${run}128.int8.onnx`,
      "tokens.txt",
    ]);
  });

  it.each([
    ["its name", "sherpa-onnx-nemo-streaming-fast-conformer-transducer-en-80ms", undefined],
    ["the inputs of its encoder", "import", ["cache_last_channel"]],
  ])("refuses a model of NeMo that only streams, by %s", async (_, name, graphTexts) => {
    const files = { ...zipformer(""), "tokens.txt": nemoTokens(1025) };
    await expect(recognize(name, files, graphTexts)).rejects.toMatchObject({
      key: "invalid_value",
      sent: { id: "model.onlyStreams", params: { model: name } },
    });
  });

  it("takes a Zipformer that says that it does not stream", async () => {
    const model = await recognize("sherpa-onnx-nonstreaming-zipformer-en", zipformer(""), []);
    expect(model).toMatchObject({ family: "zipformer", languages: ["en"] });
  });

  it("distinguishes Canary from other pairs of encoder and decoder", async () => {
    const pair = { "encoder.int8.onnx": 132_678_643, "decoder.int8.onnx": 74_437_848 };
    const tokens = tokenList(["<unk>", "<|startofcontext|>", "<|pnc|>", "▁the"]);
    const model = await recognize("sherpa-onnx-nemo-canary-180m-flash-en-es-de-fr-int8", {
      ...pair,
      "tokens.txt": tokens,
    });
    expect(model).toMatchObject({
      family: "canary",
      languages: ["en", "de", "es", "fr"],
      capabilities: { translatesTo: ["en", "de", "es", "fr"], languageDetection: false },
    });
    // The library takes the other languages of this one for English.
    const large = await recognize("sherpa-onnx-nemo-canary-1b-v2", {
      ...pair,
      "tokens.txt": `${tokens}${tokenList(Array.from({ length: 16_000 }, (_, id) => `▁t${id}`))}`,
    });
    expect(large?.languages).toEqual(["en", "de", "es", "fr"]);
    const fireRed = { ...pair, "tokens.txt": tokenList(["<blank>", "<unk>", "<sos>"]) };
    expect(await recognize("sherpa-onnx-fire-red-asr-large-zh_en", fireRed)).toBeUndefined();
    const cohere = { ...pair, "tokens.txt": tokens };
    expect(await recognize("sherpa-onnx-cohere-transcribe-14-lang", cohere)).toBeUndefined();
  });

  it("distinguishes SenseVoice from other models of one graph", async () => {
    const model = await recognize("import", {
      "model.onnx": 900_000_000,
      "model.int8.onnx": 239_233_841,
      "tokens.txt": tokenList(["<unk>", "▁the", "<|zh|>", "<|yue|>", "<|NEUTRAL|>"]),
    });
    expect(model).toMatchObject({
      family: "sense-voice",
      roles: { model: "model.int8.onnx" },
      capabilities: { wordTimes: true, languageDetection: true },
      languages: ["zh", "en", "ja", "ko", "yue"],
    });
    const paraformer = { "model.int8.onnx": 1, "tokens.txt": tokenList(["<blank>", "<s>"]) };
    expect(await recognize("sherpa-onnx-paraformer-zh", paraformer)).toBeUndefined();
  });
});

describe("voices", () => {
  const espeak = { "espeak-ng-data/phontab": 55_000, "espeak-ng-data/lang/gmw/en": 200 };
  const piperConfig = { phoneme_id_map: { _: [0] }, espeak: { voice: "en-us" } };

  it("Piper, as in a release archive and as on the hub", async () => {
    const archive = await recognize("vits-piper-en_US-amy-low", {
      "en_US-amy-low.onnx": 63_000_000,
      "en_US-amy-low.onnx.json": piperConfig,
      "tokens.txt": 921,
      MODEL_CARD: 300,
      ...espeak,
    });
    expect(archive).toMatchObject({
      family: "piper",
      kind: "text-to-speech",
      languages: ["en"],
      roles: {
        model: "en_US-amy-low.onnx",
        config: "en_US-amy-low.onnx.json",
        tokens: "tokens.txt",
      },
    });
    expect(archive?.fileNames).toHaveLength(4);
    const hub = await recognize("thorsten", {
      "de_DE-thorsten-high.onnx": 110_000_000,
      "de_DE-thorsten-high.onnx.json": { ...piperConfig, language: { code: "de_DE" } },
    });
    expect(hub).toMatchObject({ family: "piper", languages: ["de"] });
  });

  it("does not take one of several voices", async () => {
    const voices = await recognize("rhasspy/piper-voices", {
      "en_US-amy-low.onnx": 1,
      "en_US-amy-low.onnx.json": piperConfig,
      "en_US-joe-medium.onnx": 1,
      "en_US-joe-medium.onnx.json": piperConfig,
    });
    expect(voices).toBeUndefined();
  });

  it.each([
    ["kokoro", 11 * 510 * 256 * 4],
    ["kitten", 3_276_800],
  ])("%s by the size of its voices", async (family, voicesBytes) => {
    const model = await recognize("import", {
      "model.onnx": 330_000_000,
      "voices.bin": voicesBytes,
      "tokens.txt": tokenList(["$", ";"]),
      ...espeak,
    });
    expect(model).toMatchObject({
      family,
      languages: ["en"],
      roles: { model: "model.onnx", voices: "voices.bin", tokens: "tokens.txt" },
    });
  });

  it.each([
    ["kitten-nano-en-v0_8-fp32", "model.fp32.onnx"],
    ["kitten-nano-en-v0_8-int8", "model.int8.onnx"],
    ["kitten-nano-en-v0_1-fp16", "model.fp16.onnx"],
  ])("%s, whose graph tells its precision in its name", async (name, graph) => {
    const files = { [graph]: 56_000_000, "voices.bin": 8192, "tokens.txt": "$ 0\n" };
    expect(await recognize(name, files)).toMatchObject({
      family: "kitten",
      roles: { model: graph },
    });
  });

  it("Kokoro for Chinese and English keeps lexicons and rules", async () => {
    const used = {
      "model.int8.onnx": 114_000_000,
      "voices.bin": 53 * 522_240,
      "tokens.txt": tokenList(["$"]),
      "lexicon-us-en.txt": 5_000_000,
      "lexicon-zh.txt": 8_000_000,
      "date-zh.fst": 58_000,
      "number-zh.fst": 63_000,
      "phone-zh.fst": 87_000,
    };
    const model = await recognize("kokoro-multi-lang-v1_0", { ...used, ...espeak });
    expect(model).toMatchObject({ family: "kokoro", languages: ["en", "zh"] });
    expect(model?.fileNames).toEqual(Object.keys(used));
  });

  const chinese = {
    "lexicon.txt": 8_000_000,
    "tokens.txt": tokenList(["sil"]),
    "phone.fst": 87_000,
    "date.fst": 58_000,
    "number.fst": 63_000,
    "rule.far": 180_000_000,
  };
  const jieba = { "dict/jieba.dict.utf8": 5_000_000, "README.md": 300 };

  it.each([
    ["vits-zh-hf-fanchen-C", "vits-zh-hf-fanchen-C.onnx", ["zh"]],
    ["vits-icefall-zh-aishell3", "model.onnx", ["zh"]],
    ["vits-melo-tts-zh_en", "model.onnx", ["zh", "en"]],
  ])("%s keeps lexicon and rules", async (name, graph, languages) => {
    const used = { [graph]: 121_000_000, ...chinese, "new_heteronym.fst": 22_000 };
    const smaller = { [graph.replace(".onnx", ".int8.onnx")]: 39_000_000 };
    const model = await recognize(name, { ...used, ...smaller, ...jieba });
    expect(model).toMatchObject({
      family: "piper",
      kind: "text-to-speech",
      languages,
      roles: { model: graph, lexicon: "lexicon.txt", numberRules: "number.fst" },
    });
    expect(model?.fileNames).toEqual(Object.keys(used));
    expect((await recognize("import", { ...used, ...jieba }, ["vits"]))?.family).toBe("piper");
    expect(await recognize("import", { ...used, ...jieba }, [])).toBeUndefined();
  });

  it("Matcha for Chinese keeps lexicon and rules", async () => {
    const voice = { "model-steps-3.onnx": 75_000_000, ...chinese };
    const used = { ...voice, "vocos-22khz-univ.onnx": 51_000_000 };
    const model = await recognize("matcha-icefall-zh-baker", { ...used, ...jieba });
    expect(model).toMatchObject({ family: "matcha", languages: ["zh"], missingRoles: [] });
    expect(model?.fileNames).toEqual(Object.keys(used));
    expect(await recognize("matcha-icefall-zh-baker", voice)).toMatchObject({
      family: "matcha",
      missingRoles: ["vocoder"],
    });
  });

  it("Kokoro of the hub has a file for each voice", async () => {
    const model = await recognize("onnx-community/Kokoro-82M-v1.0-ONNX", {
      "config.json": {},
      "tokenizer.json": {},
      "onnx/model_quantized.onnx": 92_361_271,
      "voices/af_heart.bin": 522_240,
      "voices/ff_siwis.bin": 522_240,
    });
    expect(model).toMatchObject({
      family: "kokoro",
      languages: ["en", "fr"],
      entryFields: {
        voices: [
          { id: "af_heart", name: "Heart", character: "American woman", language: "en" },
          { id: "ff_siwis", name: "Siwis", character: "French woman", language: "fr" },
        ],
      },
      roles: { model: "onnx/model_quantized.onnx", voices: "voices" },
    });
    expect(model?.fileNames).toContain("voices/ff_siwis.bin");
  });

  it("leaves out hidden files, and names that differ in upper and lower case only", async () => {
    const model = await recognize("onnx-community/Kokoro-82M-v1.0-ONNX", {
      LICENSE: "",
      license: "",
      "tokenizer.json": {},
      "onnx/model_quantized.onnx": 92_361_271,
      "voices/.gitkeep": "",
      "voices/af_heart.bin": 522_240,
    });
    expect(model?.fileNames).toEqual([
      "license",
      "tokenizer.json",
      "onnx/model_quantized.onnx",
      "voices/af_heart.bin",
    ]);
  });

  it("Matcha without a vocoder says so", async () => {
    const files = {
      "model-steps-3.onnx": 71_000_000,
      "tokens.txt": tokenList(["_"]),
      ...espeak,
    };
    const without = await recognize("matcha-icefall-en_US-ljspeech", files);
    expect(without).toMatchObject({ family: "matcha", missingRoles: ["vocoder"] });
    const complete = await recognize("matcha-icefall-en_US-ljspeech", {
      ...files,
      "vocos-22khz-univ.onnx": 51_000_000,
    });
    expect(complete).toMatchObject({
      missingRoles: [],
      languages: ["en"],
      roles: { vocoder: "vocos-22khz-univ.onnx" },
    });
  });

  it("Matcha whose graph has a plain name", async () => {
    const files = { "model.onnx": 76_000_000, "tokens.txt": tokenList(["_"]), ...espeak };
    const name = "csukuangfj/matcha-tts-fa_en-khadijah";
    expect(await recognize(name, files)).toMatchObject({
      family: "matcha",
      languages: ["fa", "en"],
      roles: { acousticModel: "model.onnx" },
      missingRoles: ["vocoder"],
    });
    const withVocoder = { ...files, "vocos-22khz-univ.onnx": 51_000_000 };
    expect((await recognize("import", withVocoder))?.family).toBe("matcha");
    expect(await recognize("import", files)).toBeUndefined();
  });
});

it("recognizes no other files", async () => {
  expect(await recognize("holidays", { "a.jpg": 1, "b.txt": "hello" })).toBeUndefined();
  expect(await recognize("empty", {})).toBeUndefined();
});
