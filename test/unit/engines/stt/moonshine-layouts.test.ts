// Moonshine as on the model hub, with and without masks, loaded and run from end to end.

import { expect, it, onTestFinished } from "vitest";
import type { SpeechSegment } from "../../../../main/engines/engine.ts";
import { loadSpeechToText } from "../../../../main/engines/engine-list.ts";
import { neverAborted } from "../../../support/app.ts";
import { writeModel } from "../../../support/model-folder.ts";
import { floats, int64s, type OnnxNode, writeOnnx } from "../../../support/onnx-writer.ts";
import { tone } from "../../../support/test-audio.ts";

const samplesPerFrame = 384;
const pieces = ["<unk>", "<s>", "</s>", "▁good", "▁morning"];
const node = (
  op: string,
  inputs: readonly string[],
  output: string,
  attributes: NonNullable<OnnxNode["attributes"]> = {},
): OnnxNode => ({ op, inputs, outputs: [output], attributes });

/** One frame each 384 samples, like the real one. With a mask of another length than the audio it fails. */
const encoder = (isMasked: boolean): Buffer =>
  writeOnnx({
    inputs: {
      input_values: ["float", ["batch", "samples"]],
      ...(isMasked ? { attention_mask: ["int64", ["batch", "samples"]] as const } : {}),
    },
    outputs: { last_hidden_state: ["float", ["batch", "frames", 1]] },
    nodes: [
      ...(isMasked
        ? [
            node("Cast", ["attention_mask"], "mask", { to: 1 }),
            node("Mul", ["input_values", "mask"], "audio"),
          ]
        : [node("Identity", ["input_values"], "audio")]),
      node("Unsqueeze", ["audio", "one"], "channels"),
      node("AveragePool", ["channels"], "pooled", {
        kernel_shape: [samplesPerFrame],
        strides: [samplesPerFrame],
      }),
      node("Transpose", ["pooled"], "last_hidden_state", { perm: [0, 2, 1] }),
    ],
    initializers: { one: int64s([1], [1]) },
  });

/** Returns "good morning". Takes every 384th value of the mask, like the real one. */
const decoder = (isMasked: boolean): Buffer =>
  writeOnnx({
    inputs: {
      input_ids: ["int64", ["batch", "tokens"]],
      encoder_hidden_states: ["float", ["batch", "frames", 1]],
      ...(isMasked ? { encoder_attention_mask: ["int64", ["batch", "samples"]] as const } : {}),
      "past_key_values.0.decoder.key": ["float", ["batch", 1, "past", 1]],
      "past_key_values.0.encoder.key": ["float", ["batch", 1, "frames", 1]],
      use_cache_branch: ["bool", [1]],
    },
    outputs: {
      logits: ["float", ["batch", "tokens", pieces.length]],
      "present.0.decoder.key": ["float", ["batch", 1, "past", 1]],
      "present.0.encoder.key": ["float", ["batch", 1, "frames", 1]],
    },
    nodes: [
      node("Gather", ["next", "input_ids"], "chosen"),
      node("OneHot", ["chosen", "count", "off_on"], "one_hot"),
      ...(isMasked
        ? [
            node("Slice", ["encoder_attention_mask", "zero", "end", "one", "step"], "frame_mask"),
            node("Unsqueeze", ["frame_mask", "two"], "masks"),
            node("Cast", ["masks"], "factors", { to: 1 }),
            node("Mul", ["encoder_hidden_states", "factors"], "masked"),
          ]
        : [node("Identity", ["encoder_hidden_states"], "masked")]),
      // Adds nothing, but only if the shapes fit.
      node("ReduceSum", ["masked", "one"], "sum", { keepdims: 1 }),
      node("Mul", ["sum", "nothing"], "no_sum"),
      node("Add", ["one_hot", "no_sum"], "logits"),
      node("Cast", ["input_ids"], "numbers", { to: 1 }),
      node("Unsqueeze", ["numbers", "one_and_three"], "keys"),
      node("Concat", ["past_key_values.0.decoder.key", "keys"], "present.0.decoder.key", {
        axis: 2,
      }),
      node("Unsqueeze", ["masked", "one"], "present.0.encoder.key"),
    ],
    initializers: {
      next: int64s([pieces.length], [2, 3, 2, 4, 2]),
      count: int64s([], [pieces.length]),
      off_on: floats([2], [0, 20]),
      zero: int64s([1], [0]),
      end: int64s([1], [1_000_000_000]),
      one: int64s([1], [1]),
      two: int64s([1], [2]),
      step: int64s([1], [samplesPerFrame]),
      one_and_three: int64s([2], [1, 3]),
      nothing: floats([1], [0]),
    },
  });

const segmentOf = (frames: number, startSec: number): SpeechSegment => {
  const samples = tone(440, (frames * samplesPerFrame) / 16_000, 16_000);
  const endSec = startSec + samples.length / 16_000;
  return { samples, offsetSec: startSec, startSec, endSec, voicedSec: 0.5, voiceProb: 1 };
};

const tokens = new Map([
  [
    "tokens.txt",
    Buffer.from(
      pieces.map((piece, id) => `${Buffer.from(piece).toString("base64")} ${id}\n`).join(""),
    ),
  ],
]);
const tokenizer = new Map([
  [
    "tokenizer.json",
    Buffer.from(
      JSON.stringify({
        model: { vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])) },
      }),
    ),
  ],
]);

it.each([
  ["version 2", true, tokens],
  ["version 1", false, tokenizer],
] as const)(
  "transcribes segments of different lengths, also longer than 9 s, with %s",
  async (_, isMasked, vocabulary) => {
    const model = await writeModel(
      { family: "moonshine-v2", languages: [{ code: "es" }] },
      new Map<string, Uint8Array>([
        ["onnx/encoder_model_quantized.onnx", encoder(isMasked)],
        ["onnx/decoder_model_merged_quantized.onnx", decoder(isMasked)],
        ...vocabulary,
      ]),
    );
    const engine = await loadSpeechToText(model);
    onTestFinished(() => engine.close());
    const segments = await engine.transcribe(
      [segmentOf(500, 0), segmentOf(50, 20)],
      { task: "transcribe", temperature: 0, wordTimes: true },
      neverAborted(),
    );
    expect(segments.flat()).toMatchObject([
      { text: "good morning", language: "es", startSec: 0, endSec: 12 },
      { text: "good morning", language: "es", startSec: 20 },
    ]);
    expect(segments[0]?.[0]?.words).toBeUndefined();
  },
);
