// Kitten, Kokoro, Matcha, and VITS with a lexicon, of the layout of real ones, see tiny-sherpa-models.ts.

import type { InstalledModel } from "../../main/contract/models.ts";
import { floats, int64s, writeOnnx } from "./onnx-writer.ts";
import {
  type Content,
  node,
  tokensFile,
  toneInitializers,
  toneNodes,
  writeModel,
} from "./tiny-sherpa-models.ts";

const phonemes = [
  ...'$;:,.!?¡¿—…"«»“” ',
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  ..."æðŋɐɑɒɔəɚɛɜɡɪɹʃʊʌʒˈˌːθᵻ",
];
/** Of a speaker: a style of 256 numbers for each number of phonemes. */
const kittenStyle = [400, 256] as const;

/** Kitten: a tone of its own for each speaker, at the level 0.1, 0.2, … and that times 3820 Hz; 20 ms a phoneme. */
export function writeKitten(dir: string, speakers: readonly string[]): InstalledModel {
  const graph = writeOnnx({
    inputs: {
      input_ids: ["int64", [1, "sequence_length"]],
      style: ["float", [1, kittenStyle[1]]],
      speed: ["float", [1]],
    },
    outputs: { waveform: ["float", ["num_samples"]] },
    nodes: [
      node("Shape", ["input_ids"], "shape"),
      node("Gather", ["shape", "one"], "phonemes"),
      node("Cast", ["phonemes"], "number", { to: 1 }),
      node("Mul", ["number", "samplesEach"], "natural"),
      node("Div", ["natural", "speed"], "samples"),
      node("Cast", ["samples"], "count", { to: 7 }),
      node("ReduceMax", ["style"], "level", { keepdims: 0 }),
      ...toneNodes("count", "level", "level", "waveform"),
    ],
    initializers: {
      ...toneInitializers,
      one: int64s([1], [1]),
      samplesEach: floats([1], [480]),
    },
    metadata: {
      model_type: "kitten-tts",
      language: "English",
      has_espeak: 1,
      sample_rate: 24_000,
      version: 8,
      voice: "en-us",
      max_token_len: 400,
      start_id: 0,
      end_id: 10,
      pad_id: 0,
      add_pad_after_end: 1,
      style_dim: kittenStyle.join(","),
      n_speakers: speakers.length,
      speaker2id: speakers.map((name, id) => `${name}->${id}`).join(","),
      id2speaker: speakers.map((name, id) => `${id}->${name}`).join(","),
      speaker_names: speakers.join(","),
      speaker_speed_priors: speakers.map(() => "1.0").join(","),
      maintainer: "k2-fsa",
    },
  });
  const floatsEach = kittenStyle[0] * kittenStyle[1];
  const voices = speakers.flatMap((_, id) =>
    Array.from({ length: floatsEach }, () => 0.1 * (id + 1)),
  );
  return writeModel(
    dir,
    {
      "model.fp32.onnx": graph,
      "voices.bin": new Uint8Array(Float32Array.from(voices).buffer),
      "tokens.txt": tokensFile(phonemes),
    },
    { id: "tiny-kitten", family: "kitten", kind: "text-to-speech" },
  );
}

const kokoroStyle = [510, 1, 256] as const;
/** Kokoro for several languages: 20 ms a phoneme. */
export function writeKokoro(
  dir: string,
  speakers: readonly string[],
  more: Content = {},
): InstalledModel {
  const graph = writeOnnx({
    inputs: {
      tokens: ["int64", [1, "sequence_length"]],
      style: ["float", [1, kokoroStyle[2]]],
      speed: ["float", [1]],
    },
    outputs: { audio: ["float", ["audio_length"]] },
    nodes: [
      node("Shape", ["tokens"], "shape"),
      node("Gather", ["shape", "one"], "phonemes"),
      node("Mul", ["phonemes", "samplesEach"], "count"),
      node("Mul", ["speed", "level"], "value"),
      node("Expand", ["value", "count"], "audio"),
    ],
    initializers: {
      one: int64s([1], [1]),
      samplesEach: int64s([1], [480]),
      level: floats([1], [0.1]),
    },
    metadata: {
      model_type: "kokoro",
      language: "multi-lang",
      has_espeak: 1,
      sample_rate: 24_000,
      version: 2,
      voice: "en-us",
      style_dim: kokoroStyle.join(","),
      n_speakers: speakers.length,
      speaker_names: speakers.join(","),
    },
  });
  return writeModel(
    dir,
    {
      "model.onnx": graph,
      "voices.bin": new Uint8Array(speakers.length * kokoroStyle[0] * kokoroStyle[2] * 4),
      "tokens.txt": tokensFile(phonemes),
      "lexicon-us-en.txt": "sing s ɪ ŋ\n",
      "lexicon-zh.txt": "你 n i\n",
      ...more,
    },
    { id: "tiny-kokoro", family: "kokoro", kind: "text-to-speech" },
  );
}

/** VITS for Chinese: 20 ms a phoneme. */
export function writeVits(dir: string, more: Content = {}): InstalledModel {
  const graph = writeOnnx({
    inputs: {
      x: ["int64", ["N", "L"]],
      x_length: ["int64", ["N"]],
      noise_scale: ["float", [1]],
      length_scale: ["float", [1]],
      noise_scale_w: ["float", [1]],
    },
    outputs: { y: ["float", ["N", 1, "samples"]] },
    nodes: [
      node("Mul", ["x_length", "samplesEach"], "count"),
      node("Concat", ["twoOnes", "count"], "shape", { axis: 0 }),
      node("Expand", ["level", "shape"], "y"),
    ],
    initializers: {
      samplesEach: int64s([1], [480]),
      twoOnes: int64s([2], [1, 1]),
      level: floats([1], [0.25]),
    },
    metadata: {
      model_type: "vits",
      comment: "icefall",
      language: "Chinese",
      add_blank: 1,
      jieba: 1,
      n_speakers: 1,
      sample_rate: 24_000,
      punctuation: ", . ! ? ，。",
    },
  });
  return writeModel(
    dir,
    {
      "model.onnx": graph,
      "tokens.txt": tokensFile(["_", ..."，。,.!?", "n", "i3", "w", "o3"]),
      "lexicon.txt": "你 n i3\n我 w o3\n",
      ...more,
    },
    { id: "tiny-vits", family: "piper", kind: "text-to-speech", languages: [{ code: "zh" }] },
  );
}

const melBands = 80;
const framesEach = 4;
/** 430 Hz: the phase is the same in each frame, since it is a multiple of a quarter of the sample rate's part. */
const toneBin = 20;
const bins = 513;

/** Matcha and its vocoder: a tone at a quarter of the volume, 46 ms a phoneme. */
export function writeMatcha(dir: string, more: Content = {}): InstalledModel {
  const acousticModel = writeOnnx({
    inputs: {
      x: ["int64", ["N", "L"]],
      x_length: ["int64", ["N"]],
      noise_scale: ["float", [1]],
      length_scale: ["float", [1]],
    },
    outputs: { mel: ["float", ["N", melBands, "frames"]] },
    nodes: [
      node("Cast", ["x_length"], "number", { to: 1 }),
      node("Mul", ["number", "framesEach"], "natural"),
      node("Mul", ["natural", "length_scale"], "length"),
      node("Cast", ["length"], "frames", { to: 7 }),
      node("Concat", ["one", "bands", "frames"], "shape", { axis: 0 }),
      node("Expand", ["level", "shape"], "mel"),
    ],
    initializers: {
      framesEach: floats([1], [framesEach]),
      one: int64s([1], [1]),
      bands: int64s([1], [melBands]),
      level: floats([1], [-5]),
    },
    metadata: {
      model_type: "matcha-tts",
      language: "English",
      voice: "en-us",
      has_espeak: 1,
      jieba: 0,
      n_speakers: 1,
      sample_rate: 22_050,
      version: 1,
      pad_id: 0,
      model_author: "icefall",
      maintainer: "k2-fsa",
      use_eos_bos: 0,
      num_ode_steps: 3,
    },
  });
  const vocoder = writeOnnx({
    inputs: { mels: ["float", [1, melBands, "time"]] },
    outputs: {
      mag: ["float", [1, bins, "time"]],
      x: ["float", [1, bins, "time"]],
      y: ["float", [1, bins, "time"]],
    },
    nodes: [
      node("Shape", ["mels"], "melShape"),
      node("Gather", ["melShape", "two"], "time"),
      node("Concat", ["one", "bins", "time"], "shape", { axis: 0 }),
      node("Expand", ["magnitudes", "shape"], "mag"),
      node("Expand", ["cosine", "shape"], "x"),
      node("Expand", ["sine", "shape"], "y"),
    ],
    initializers: {
      one: int64s([1], [1]),
      two: int64s([1], [2]),
      bins: int64s([1], [bins]),
      magnitudes: floats(
        [1, bins, 1],
        Array.from({ length: bins }, (_, bin) => (bin === toneBin ? 128 : 0)),
      ),
      cosine: floats([1], [1]),
      sine: floats([1], [0]),
    },
    metadata: {
      model_type: "vocos",
      n_fft: 1024,
      hop_length: 256,
      win_length: 1024,
      window_type: "hann",
      center: 1,
      pad_mode: "reflect",
      normalized: 0,
      sample_rate: 22_050,
    },
  });
  return writeModel(
    dir,
    {
      "model-steps-3.onnx": acousticModel,
      "vocos-22khz-univ.onnx": vocoder,
      "tokens.txt": tokensFile([..."_^$", ...phonemes.slice(1)]),
      ...more,
    },
    { id: "tiny-matcha", family: "matcha", kind: "text-to-speech" },
  );
}
