// Models of the layout of real ones that sherpa-onnx loads, which always return the same text. One can have any size.

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { InstalledModel, ModelCapabilities, ModelFamily } from "../../main/contract/models.ts";
import { floats, int64s, type OnnxGraph, type OnnxNode, writeOnnx } from "./onnx-writer.ts";

/** By name. */
export type Content = Readonly<Record<string, Uint8Array | string>>;

/** Writes the files, and describes them as a model that is installed. */
export function writeModel(
  dir: string,
  content: Content,
  entry: Pick<InstalledModel, "id" | "family" | "kind"> & Partial<InstalledModel>,
): InstalledModel {
  const files = Object.entries(content).map(([name, data]) => {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, data);
    return {
      name,
      sizeBytes: Buffer.byteLength(data),
      sha256: createHash("sha256").update(data).digest("hex"),
    };
  });
  return {
    name: entry.id,
    ownedBy: "tests",
    licence: { name: "MIT" },
    created: 0,
    languages: [{ code: "en" }],
    capabilities: {
      wordTimes: false,
      languageDetection: false,
      prompt: false,
      streaming: false,
      translatesTo: [],
    },
    sources: [],
    files,
    dir,
    origin: "imported",
    installedAt: 1,
    ...entry,
  };
}

/** A recognizer of the family: what the catalog would say of it. */
export const recognizerOf = (
  family: ModelFamily,
  languages: readonly string[],
  capabilities: Partial<ModelCapabilities> = {},
) => ({
  id: `tiny-${family}`,
  family,
  kind: "speech-to-text" as const,
  languages: languages.map((code) => ({ code })),
  capabilities: {
    wordTimes: true,
    languageDetection: false,
    prompt: false,
    streaming: false,
    translatesTo: [],
    ...capabilities,
  },
});

export const tokensFile = (symbols: readonly string[]): string =>
  symbols.map((symbol, id) => `${symbol} ${id}\n`).join("");

export const node = (
  op: string,
  inputs: readonly string[],
  output: string,
  attributes: OnnxNode["attributes"] = {},
): OnnxNode => ({ op, inputs, outputs: [output], attributes });

/** A tone of as many samples as `count` has, at that level; `step` is its angle from sample to sample. */
export const toneNodes = (
  count: string,
  level: string,
  step: string,
  output: string,
): readonly OnnxNode[] => [
  node("ReduceMax", [count], "toneEnd", { keepdims: 0 }),
  node("Range", ["toneStart", "toneEnd", "toneStep"], "toneIndex"),
  node("Cast", ["toneIndex"], "tonePosition", { to: 1 }),
  node("Mul", ["tonePosition", step], "tonePhase"),
  node("Sin", ["tonePhase"], "toneWave"),
  node("Mul", ["toneWave", level], output),
];
export const toneInitializers = { toneStart: int64s([], [0]), toneStep: int64s([], [1]) };

const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

const senseVoiceSymbols = (language: string): string[] => [
  "<blank>",
  `<|${language}|>`,
  "<|NEUTRAL|>",
  "<|Speech|>",
  "<|withitn|>",
  "▁good",
  "▁morn",
  "ing",
];
/** Token of each frame; 0 is nothing. */
const senseVoiceFrames = [1, 2, 3, 4, 0, 5, 0, 6, 7, 0];

/**
 * SenseVoice that returns "good morning" for any audio.
 * @param weightSide side of a square matrix that the audio is multiplied with: 16384 make 1 GB
 * @param language that it reports
 */
export function writeSenseVoice(dir: string, weightSide = 0, language = "en"): InstalledModel {
  const symbols = senseVoiceSymbols(language);
  const graph: OnnxGraph = {
    inputs: {
      x: ["float", ["N", "T", 560]],
      x_length: ["int32", ["N"]],
      language: ["int32", ["N"]],
      text_norm: ["int32", ["N"]],
    },
    outputs: { logits: ["float", ["N", "L", symbols.length]] },
    nodes: [
      node("Shape", ["x"], "shape"),
      node("Gather", ["shape", "one"], "frames"),
      node("Add", ["frames", "four"], "length"),
      node("Range", ["zero", "length", "one"], "positions"),
      node("Min", ["positions", "last"], "places"),
      node("Gather", ["pattern", "places"], "ids"),
      node("OneHot", ["ids", "depth", "values"], "hot"),
      node("Unsqueeze", ["hot", "axis"], weightSide === 0 ? "logits" : "certain"),
      ...(weightSide === 0 ? [] : weightNodes),
    ],
    initializers: {
      zero: int64s([], [0]),
      one: int64s([], [1]),
      four: int64s([], [4]),
      last: int64s([], [senseVoiceFrames.length - 1]),
      pattern: int64s([senseVoiceFrames.length], senseVoiceFrames),
      depth: int64s([], [symbols.length]),
      values: floats([2], [0, 10]),
      axis: int64s([1], [0]),
      ...(weightSide === 0 ? {} : weightInitializers(weightSide)),
    },
  };
  const metadata = {
    model_type: "sense_voice_ctc",
    comment: "a model for tests",
    vocab_size: symbols.length,
    lfr_window_size: 7,
    lfr_window_shift: 6,
    normalize_samples: 0,
    with_itn: 14,
    without_itn: 15,
    lang_auto: 0,
    lang_zh: 3,
    lang_en: 4,
    lang_ja: 11,
    lang_ko: 12,
    lang_yue: 7,
    neg_mean: ones(560).join(","),
    inv_stddev: ones(560).join(","),
  };
  return writeModel(
    dir,
    {
      "model.int8.onnx": writeOnnx({ ...graph, metadata }),
      "tokens.txt": tokensFile(symbols),
    },
    {
      ...recognizerOf("sense-voice", ["zh", "en", "ja", "ko", "yue"], { languageDetection: true }),
      id: weightSide === 0 ? "tiny-sense-voice" : "large-sense-voice",
    },
  );
}

/** Multiplies by the matrix, and adds nothing of it to the result. */
const weightNodes: OnnxNode[] = [
  node("ReduceMean", ["x"], "mean", { keepdims: 0 }),
  node("Expand", ["mean", "rows"], "spread"),
  node("MatMul", ["spread", "weight"], "product"),
  node("ReduceMean", ["product"], "result", { keepdims: 0 }),
  node("Mul", ["result", "nothing"], "vanished"),
  node("Add", ["certain", "vanished"], "logits"),
];

const weightInitializers = (side: number) => ({
  weight: { dims: [side, side], data: new Float32Array(side * side).fill(1e-6) },
  rows: int64s([2], [256, side]),
  nothing: floats([], [0]),
});

const parakeetSymbols = ["<unk>", "▁good", "▁morn", "ing", "▁caf", "<0xC3>", "<0xA9>", "<blk>"];
const parakeetTokens = [1, 2, 3, 4, 5, 6];
/** Durations in frames that the model chooses among. */
const durations = [0, 1, 2, 3, 4];

/** Parakeet TDT that returns "good morning café", one token every two frames. */
export function writeParakeet(dir: string): InstalledModel {
  const vocabulary = parakeetSymbols.length;
  // A frame's features are its number; the joiner knows from it which token is due.
  const encoder = writeOnnx({
    inputs: { audio_signal: ["float", ["N", 80, "T"]], length: ["int64", ["N"]] },
    outputs: { outputs: ["float", ["N", 1, "L"]], encoded_lengths: ["int64", ["N"]] },
    nodes: [
      node("Div", ["length", "eight"], "encoded_lengths"),
      node("ReduceMax", ["encoded_lengths"], "longest", { keepdims: 0 }),
      node("Range", ["zero", "longest", "one"], "positions"),
      node("Cast", ["positions"], "numbers", { to: 1 }),
      node("Unsqueeze", ["numbers", "axes"], "outputs"),
    ],
    initializers: {
      eight: int64s([], [8]),
      zero: int64s([], [0]),
      one: int64s([], [1]),
      axes: int64s([2], [0, 1]),
    },
    metadata: {
      vocab_size: vocabulary - 1,
      normalize_type: "per_feature",
      pred_rnn_layers: 1,
      pred_hidden: 1,
      subsampling_factor: 8,
      model_type: "EncDecRNNTBPEModel",
      version: "2",
      url: "https://example.test/parakeet-tdt",
      feat_dim: 80,
    },
  });
  const decoder = writeOnnx({
    inputs: {
      targets: ["int32", ["N", "U"]],
      target_length: ["int32", ["N"]],
      "states.1": ["float", [1, "N", 1]],
      "onnx::LSTM_3": ["float", [1, "N", 1]],
    },
    outputs: {
      outputs: ["float", ["N", 1, "U"]],
      prednet_lengths: ["int32", ["N"]],
      states: ["float", [1, "N", 1]],
      cell: ["float", [1, "N", 1]],
    },
    nodes: [
      node("Cast", ["targets"], "numbers", { to: 1 }),
      node("Unsqueeze", ["numbers", "axis"], "outputs"),
      node("Identity", ["target_length"], "prednet_lengths"),
      node("Identity", ["states.1"], "states"),
      node("Identity", ["onnx::LSTM_3"], "cell"),
    ],
    initializers: { axis: int64s([1], [1]) },
  });
  // Token logits, then logits of the durations; beyond the last token, blanks.
  const rows = [...parakeetTokens, vocabulary - 1].map((token) => [
    ...parakeetSymbols.map((_, id) => (id === token ? 10 : 0)),
    ...durations.map((duration) => (duration === 2 ? 10 : 0)),
  ]);
  const joiner = writeOnnx({
    inputs: {
      encoder_outputs: ["float", ["N", 1, "T"]],
      decoder_outputs: ["float", ["N", 1, "U"]],
    },
    outputs: { outputs: ["float", ["N", "T", "U", vocabulary + durations.length]] },
    nodes: [
      node("Cast", ["encoder_outputs"], "frame", { to: 7 }),
      node("Div", ["frame", "two"], "step"),
      node("Min", ["step", "last"], "place"),
      node("Gather", ["table", "place"], "outputs"),
    ],
    initializers: {
      two: int64s([], [2]),
      last: int64s([], [rows.length - 1]),
      table: floats([rows.length, vocabulary + durations.length], rows.flat()),
    },
  });
  return writeModel(
    dir,
    {
      "encoder.int8.onnx": encoder,
      "decoder.int8.onnx": decoder,
      "joiner.int8.onnx": joiner,
      "tokens.txt": tokensFile(parakeetSymbols),
    },
    recognizerOf("parakeet", ["en"]),
  );
}

/** A Piper voice as its repository has it, without what sherpa-onnx wants: noise of 20 ms a phoneme. */
export function writePiper(dir: string, speakers: readonly string[] = []): InstalledModel {
  const phonemes = [..."_^$ !',-.:;?abcdefhijklmnopqrstuvwxyzæðŋɐɑɒɔəɚɛɜɡɪɹʃʊʌʒˈˌːθᵻ"];
  const graph = writeOnnx({
    inputs: {
      input: ["int64", ["N", "P"]],
      input_lengths: ["int64", ["N"]],
      scales: ["float", [3]],
      ...(speakers.length > 0 ? { sid: ["int64", ["N"]] as const } : {}),
    },
    outputs: { output: ["float", ["N", 1, 1, "samples"]] },
    nodes: [
      node("Mul", ["input_lengths", "samplesEach"], "count"),
      ...toneNodes("count", "level", "step", "wave"),
      node("Concat", ["threeOnes", "count"], "shape", { axis: 0 }),
      node("Reshape", ["wave", "shape"], "output"),
    ],
    initializers: {
      ...toneInitializers,
      samplesEach: int64s([1], [441]),
      threeOnes: int64s([3], [1, 1, 1]),
      level: floats([1], [0.02]),
      step: floats([1], [0.1]),
    },
  });
  const config = {
    audio: { sample_rate: 22_050 },
    espeak: { voice: "en-us" },
    phoneme_type: "espeak",
    phoneme_id_map: Object.fromEntries(phonemes.map((phoneme, id) => [phoneme, [id]])),
    num_speakers: Math.max(1, speakers.length),
    speaker_id_map: Object.fromEntries(speakers.map((speaker, id) => [speaker, id])),
  };
  return writeModel(
    dir,
    { "voice.onnx": graph, "voice.onnx.json": JSON.stringify(config) },
    { id: "tiny-piper", family: "piper", kind: "text-to-speech" },
  );
}
