// A Whisper model of a few hundred kilobytes in the layout of Hugging Face exports, for every model size. Its output
// does not depend on its input. The bytes are ONNX protocol buffers,
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { shippedModel } from "../../main/models/shipped-models.ts";

export type TinyWhisper = {
  melBands: number;
  decoderLayers: number;
  vocabularySize: number;
  /** Overrides fields of whisper-base's generation_config.json. */
  generation: Record<string, unknown>;
  /** The token that follows each token. */
  nextTokens: ReadonlyMap<number, number>;
  /** The decoder returns cross attentions, as by default. */
  withAttentions?: boolean;
  /** Two graphs instead of a merged decoder: one for the first step, and one for those with a cache. */
  hasSplitDecoder?: boolean;
  /** The encoder takes windows shorter than 30 s. */
  takesShortWindows?: boolean;
  /** A file name: the encoder keeps a weight in it, whose content is `onnx/data`. */
  externalData?: string;
};

/** Its files, by name. */
export async function tinyWhisper({
  melBands,
  decoderLayers,
  vocabularySize,
  generation,
  nextTokens,
  withAttentions = true,
  hasSplitDecoder = false,
  takesShortWindows = false,
  externalData,
}: TinyWhisper): Promise<ReadonlyMap<string, Uint8Array>> {
  const { dir } = shippedModel("whisper-base");
  const readChanged = async (name: string, changes: object): Promise<Uint8Array> =>
    Buffer.from(
      JSON.stringify({
        ...(JSON.parse(await readFile(join(dir, name), "utf8")) as object),
        ...changes,
      }),
    );
  return new Map([
    [
      "config.json",
      await readChanged("config.json", {
        num_mel_bins: melBands,
        decoder_layers: decoderLayers,
        decoder_attention_heads: 1,
      }),
    ],
    ["generation_config.json", await readChanged("generation_config.json", generation)],
    ["tokenizer.json", await readFile(join(dir, "tokenizer.json"))],
    [
      `onnx/encoder_model${takesShortWindows ? "_any_length" : "_quantized"}.onnx`,
      encoder(melBands, takesShortWindows, externalData),
    ],
    ...(externalData === undefined
      ? []
      : [["onnx/data", Buffer.from(Float32Array.of(1).buffer)] as const]),
    ...(hasSplitDecoder ? (["first", "with past"] as const) : (["merged"] as const)).map(
      (kind) =>
        [
          `onnx/${decoderNames[kind]}_quantized.onnx`,
          decoder(kind, decoderLayers, melBands, vocabularySize, nextTokens, withAttentions),
        ] as const,
    ),
  ]);
}

/** Returns every second frame of the features unchanged. */
function encoder(
  melBands: number,
  takesShortWindows: boolean,
  externalData: string | undefined,
): Uint8Array {
  const [frames, halfFrames] = takesShortWindows ? ["frames", "half_frames"] : [3000, 1500];
  return model(
    [value("input_features", float, [1, melBands, frames])],
    [value("last_hidden_state", float, [1, halfFrames, melBands])],
    [
      node("AveragePool", ["input_features"], "pooled", { kernel_shape: [2], strides: [2] }),
      node("Mul", ["pooled", "one"], "scaled"),
      node("Transpose", ["scaled"], "last_hidden_state", { perm: [0, 2, 1] }),
    ],
    [
      externalData === undefined
        ? tensor("one", float, [1], Float32Array.of(1))
        : externalTensor("one", float, [1], externalData),
    ],
  );
}

const decoderNames = {
  merged: "decoder_model_merged",
  first: "decoder_model",
  "with past": "decoder_with_past_model",
};

/** Its caches count tokens and frames. Attention goes to the frames with high features. */
function decoder(
  kind: keyof typeof decoderNames,
  layers: number,
  width: number,
  vocabularySize: number,
  nextTokens: ReadonlyMap<number, number>,
  withAttentions: boolean,
): Uint8Array {
  const next = BigInt64Array.from({ length: vocabularySize }, (_, token) =>
    BigInt(nextTokens.get(token) ?? 0),
  );
  const caches = Array.from({ length: layers }, (_, layer) =>
    ["key", "value"].map(
      (part) => [`${layer}.decoder.${part}`, `${layer}.encoder.${part}`] as const,
    ),
  ).flat();
  const attentions = Array.from(
    { length: withAttentions ? layers : 0 },
    (_, layer) => `cross_attentions.${layer}`,
  );
  const [hasPast, hasStates] = [kind !== "first", kind !== "with past"];
  // A decoder with a cache has the encoder's states only as their keys and values.
  const presents = hasStates ? caches.flat() : caches.map(([own]) => own);
  return model(
    [
      value("input_ids", int64, ["batch", "n"]),
      ...(hasStates ? [value("encoder_hidden_states", float, ["batch", "frames", width])] : []),
      ...(kind === "merged" ? [value("use_cache_branch", bool, [1])] : []),
      ...(hasPast ? caches.flat() : []).map((name) =>
        value(`past_key_values.${name}`, float, ["batch", 1, `past of ${name}`, 1]),
      ),
    ],
    ["logits", ...presents.map((name) => `present.${name}`), ...attentions].map((name) =>
      value(name, float, undefined),
    ),
    [
      node("Gather", ["next", "input_ids"], "chosen"),
      node("OneHot", ["chosen", "vocabulary", "unlikely_likely"], "logits"),
      node("Cast", ["input_ids"], "numbers", { to: float }),
      node("Unsqueeze", ["numbers", "first_and_last"], "keys"),
      ...(hasStates
        ? [
            node("ReduceMean", ["encoder_hidden_states"], "loudness", { axes: [2], keepdims: 0 }),
            node("Unsqueeze", ["loudness", "first_and_last"], "cross_keys"),
          ]
        : [node("Identity", ["past_key_values.0.encoder.key"], "cross_keys")]),
      node("Transpose", ["cross_keys"], "places", { perm: [0, 1, 3, 2] }),
      node("Mul", ["keys", "nothing"], "no_keys"),
      node("Add", ["places", "no_keys"], "scores"),
      ...caches.flatMap(([own, cross]) => [
        hasPast
          ? node("Concat", [`past_key_values.${own}`, "keys"], `present.${own}`, { axis: 2 })
          : node("Identity", ["keys"], `present.${own}`),
        ...(hasStates ? [node("Identity", ["cross_keys"], `present.${cross}`)] : []),
      ]),
      ...attentions.map((name) => node("Softmax", ["scores"], name, { axis: -1 })),
    ],
    [
      tensor("next", int64, [vocabularySize], next),
      tensor("vocabulary", int64, [], BigInt64Array.of(BigInt(vocabularySize))),
      tensor("unlikely_likely", float, [2], Float32Array.of(0, 20)),
      tensor("first_and_last", int64, [2], BigInt64Array.of(1n, 3n)),
      tensor("nothing", float, [], Float32Array.of(0)),
    ],
  );
}

const float = 1;
const int64 = 7;
const bool = 9;
const attributeTypes = { number: 2, numbers: 7 };

function varint(integer: number): Buffer {
  const parts: number[] = [];
  let remaining = BigInt.asUintN(64, BigInt(integer));
  for (; remaining > 0x7fn; remaining >>= 7n) parts.push(Number(remaining & 0x7fn) | 0x80);
  return Buffer.from([...parts, Number(remaining)]);
}

const number = (field: number, integer: number): Buffer =>
  Buffer.concat([varint(field << 3), varint(integer)]);
function bytes(field: number, text: string | Uint8Array): Buffer {
  const content = Buffer.from(text as string);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}
const message = (field: number, ...parts: Buffer[]): Buffer => bytes(field, Buffer.concat(parts));

function value(
  name: string,
  type: number,
  shape: readonly (number | string)[] | undefined,
): Buffer {
  const dimensions = shape?.map((size) =>
    message(1, typeof size === "number" ? number(1, size) : bytes(2, size)),
  );
  return Buffer.concat([
    bytes(1, name),
    message(
      2,
      message(1, number(1, type), ...(dimensions === undefined ? [] : [message(2, ...dimensions)])),
    ),
  ]);
}

function node(
  type: string,
  inputs: readonly string[],
  output: string,
  attributes: Record<string, number | number[]> = {},
): Buffer {
  const encodedAttributes = Object.entries(attributes).map(([name, content]) =>
    message(
      5,
      bytes(1, name),
      ...(typeof content === "number"
        ? [number(3, content), number(20, attributeTypes.number)]
        : [...content.map((one) => number(8, one)), number(20, attributeTypes.numbers)]),
    ),
  );
  return Buffer.concat([
    ...inputs.map((name) => bytes(1, name)),
    bytes(2, output),
    bytes(4, type),
    ...encodedAttributes,
  ]);
}

const tensor = (
  name: string,
  type: number,
  shape: readonly number[],
  { buffer }: Float32Array | BigInt64Array,
): Buffer =>
  Buffer.concat([
    ...shape.map((size) => number(1, size)),
    number(2, type),
    bytes(8, name),
    bytes(9, new Uint8Array(buffer as ArrayBuffer)),
  ]);

/** Its content is in another file. */
const externalTensor = (
  name: string,
  type: number,
  shape: readonly number[],
  fileName: string,
): Buffer =>
  Buffer.concat([
    ...shape.map((size) => number(1, size)),
    number(2, type),
    bytes(8, name),
    message(13, bytes(1, "location"), bytes(2, fileName)),
    number(14, 1),
  ]);

function model(
  inputs: readonly Buffer[],
  outputs: readonly Buffer[],
  nodes: readonly Buffer[],
  initializers: readonly Buffer[],
): Buffer {
  const graph = [
    ...nodes.map((one) => message(1, one)),
    bytes(2, "tiny"),
    ...initializers.map((one) => message(5, one)),
    ...inputs.map((one) => message(11, one)),
    ...outputs.map((one) => message(12, one)),
  ];
  return Buffer.concat([number(1, 8), message(7, ...graph), message(8, number(2, 13))]);
}
