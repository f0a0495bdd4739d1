// Whisper's graphs on onnxruntime: encoder (log-mel → states) and decoder (tokens → logits, with its cache). The
// decoder is one merged graph, or two: one for the first step, and one for those with a cache. See decoding.ts for
// choosing tokens.

import { type InferenceSession, Tensor } from "onnxruntime-node";
import { freeTensors } from "../../free-tensors.ts";
import type { ModelFiles } from "../../model-files.ts";
import { firstTokens, type RowsOfLogits, rowsOfLogits, tokenIds } from "../decoder-step.ts";

type Tensors = Record<string, Tensor>;

/** Decoder state of a batch of windows. */
export type Cursor = {
  rows: number;
  states: Tensor;
  past: Tensors | undefined;
  cross: Tensors;
  /** Logits of the first step; read until the end of decoding. */
  firstLogits: Tensor | undefined;
  /** Other outputs of the last step; freed after the next one. */
  lastOutputs: Tensor[];
};

export type Step = {
  /**
   * Over the whole vocabulary, after one of the tokens fed. A writable view, valid until the next step; that of the
   * first step stays valid.
   */
  logits: RowsOfLogits;
  /** Layer → [rows, heads, tokens, frames]; only requested layers, valid until the next step. */
  attentions: ReadonlyMap<number, Tensor>;
};

export type Graphs = {
  /** The encoder accepts windows shorter than 30 s without loss of quality. */
  readonly supportsShortWindows: boolean;
  /** The decoder returns its cross attentions, from which word times are made. */
  readonly returnsAttentions: boolean;
  /** Memory that decoding needs for each encoder frame of a window. */
  readonly bytesPerFrame: number;
  /** Features of one window [bands × frames], bands first → its states [encoder frames × width]. */
  encode(features: Float32Array): Promise<Tensor>;
  /** @param states one per window, all of the same length */
  begin(states: readonly Tensor[]): Cursor;
  /** A new cursor for a range of encoder frames of a row, without computing its keys and values again. */
  beginRange(cursor: Cursor, row: number, fromFrame: number, toFrame: number): Cursor;
  /**
   * Advances the cursor. `tokens` has one row per window, all of the same length: any length at first, then one token,
   * because a decoder with a cache has no causal mask.
   */
  step(
    cursor: Cursor,
    tokens: readonly (readonly number[])[],
    attentionLayers: readonly number[],
  ): Promise<Step>;
  /** Leaves out what follows the first `count` tokens, from now on. */
  keepTokens(cursor: Cursor, count: number): void;
  /** Leaves out all rows but these, ascending, from now on. */
  keepRows(cursor: Cursor, rows: readonly number[]): void;
  /**
   * Frees the cursor's large buffers at once: up to 100 MB, which garbage collection would not free before the next
   * window.
   */
  free(cursor: Cursor): void;
  close(): Promise<void>;
};

export async function createGraphs(files: ModelFiles, melBands: number): Promise<Graphs> {
  const { supportsShortWindows, encoder, decoder, decoderWithPast } = await openGraphs(files);
  const cacheNames = decoder.outputNames.filter((name) => /^present\.\d+\.decoder\./.test(name));
  const crossNames = decoder.outputNames.filter((name) => /^present\.\d+\.encoder\./.test(name));
  const { heads, width } = cacheShape(decoderWithPast);

  const emptyPast = (rows: number, presentNames: readonly string[]): Tensors => {
    const empty = new Tensor("float32", new Float32Array(0), [rows, heads, 0, width]);
    return Object.fromEntries(presentNames.map((name) => [toPastName(name), empty]));
  };

  return {
    supportsShortWindows,
    returnsAttentions: decoder.outputNames.includes("cross_attentions.0"),
    bytesPerFrame: crossNames.length * heads * width * Float32Array.BYTES_PER_ELEMENT,
    async encode(features) {
      const { last_hidden_state: states } = await encoder.run({
        input_features: new Tensor("float32", features, [1, melBands, features.length / melBands]),
      });
      return states as Tensor;
    },
    begin: (states) => ({
      rows: states.length,
      states: joinRows(states),
      past: undefined,
      cross: {},
      firstLogits: undefined,
      lastOutputs: [],
    }),
    beginRange: ({ states, cross }, row, fromFrame, toFrame) => ({
      rows: 1,
      states,
      past: emptyPast(1, cacheNames),
      cross: Object.fromEntries(
        Object.entries(cross).map(([name, tensor]) => [
          name,
          sliceFrames(tensor, row, fromFrame, toFrame),
        ]),
      ),
      firstLogits: undefined,
      lastOutputs: [],
    }),
    async step(cursor, tokens, attentionLayers) {
      const first = cursor.past === undefined;
      const past = cursor.past ?? emptyPast(cursor.rows, [...cacheNames, ...crossNames]);
      const attentionNames = attentionLayers.map((layer) => `cross_attentions.${layer}`);
      const graph = first ? decoder : decoderWithPast;
      const outputs = (await graph.run(
        takenBy(graph, {
          input_ids: tokenIds(tokens),
          encoder_hidden_states: cursor.states,
          use_cache_branch: new Tensor("bool", [!first], [1]),
          ...past,
          ...cursor.cross,
        }),
        ["logits", ...cacheNames, ...(first ? crossNames : []), ...attentionNames],
      )) as Tensors;
      // Only the first step returns keys and values of the encoder's states.
      if (first)
        for (const name of crossNames) cursor.cross[toPastName(name)] = outputs[name] as Tensor;
      cursor.past = Object.fromEntries(
        cacheNames.map((name) => [toPastName(name), outputs[name] as Tensor]),
      );
      const logits = outputs["logits"] as Tensor;
      freeTensors(cursor.lastOutputs);
      cursor.lastOutputs = [...cacheNames, ...attentionNames, ...(first ? [] : ["logits"])].map(
        (name) => outputs[name] as Tensor,
      );
      if (first) cursor.firstLogits = logits;
      return {
        logits: rowsOfLogits(logits),
        attentions: new Map(
          attentionLayers.map((layer, index) => [
            layer,
            outputs[attentionNames[index] as string] as Tensor,
          ]),
        ),
      };
    },
    keepTokens,
    keepRows,
    free,
    async close() {
      await encoder.release();
      await decoder.release();
      if (decoderWithPast !== decoder) await decoderWithPast.release();
    },
  };
}

function keepTokens(cursor: Cursor, count: number): void {
  cursor.past = Object.fromEntries(
    Object.entries(cursor.past ?? {}).map(([name, tensor]) => [name, firstTokens(tensor, count)]),
  );
}

function keepRows(cursor: Cursor, rows: readonly number[]): void {
  const keepIn = (tensors: Tensors): Tensors =>
    Object.fromEntries(
      Object.entries(tensors).map(([name, tensor]) => [name, moveRowsToFront(tensor, rows)]),
    );
  cursor.rows = rows.length;
  cursor.states = moveRowsToFront(cursor.states, rows);
  cursor.cross = keepIn(cursor.cross);
  if (cursor.past !== undefined) cursor.past = keepIn(cursor.past);
}

const free = ({ cross, firstLogits, lastOutputs }: Cursor): void =>
  freeTensors([
    ...Object.values(cross),
    ...(firstLogits === undefined ? [] : [firstLogits]),
    ...lastOutputs,
  ]);

/** Heads, and values of each: the second and fourth dimension of what the decoder keeps for each layer. */
function cacheShape(decoder: InferenceSession): { heads: number; width: number } {
  const input = decoder.inputMetadata.find(({ name }) => name.startsWith("past_key_values."));
  const [, heads, , width] = input !== undefined && input.isTensor ? input.shape : [];
  if (typeof heads !== "number" || typeof width !== "number")
    throw new Error("the decoder has no cache");
  return { heads, width };
}

/**
 * An export has `encoder_model…onnx`, and `decoder_model_merged…onnx` or both of `decoder_model…onnx` and
 * `decoder_with_past_model…onnx`; an encoder that accepts shorter windows is `encoder_model_any_length…onnx`. The name
 * is needed because the graph does not tell: its third dimension may have a name and still accept only 3,000.
 */
async function openGraphs({ names, openGraph }: ModelFiles) {
  const findName = (stem: string): string | undefined =>
    names.find((name) => new RegExp(`${stem}[^/]*\\.onnx$`).test(name));
  const open = (stem: string): Promise<InferenceSession> => {
    const name = findName(stem);
    if (name === undefined) throw new Error(`the model has no file ${stem}.onnx`);
    return openGraph(name);
  };
  const isMerged = findName("decoder_model_merged") !== undefined;
  const encoder = await open("encoder_model");
  const decoder = await open(isMerged ? "decoder_model_merged" : "decoder_model");
  return {
    supportsShortWindows: findName("encoder_model")?.includes("any_length") === true,
    encoder,
    decoder,
    decoderWithPast: isMerged ? decoder : await open("decoder_with_past_model"),
  };
}

/** Split decoders have fewer inputs than a merged one. */
const takenBy = ({ inputNames }: InferenceSession, tensors: Tensors): Tensors =>
  Object.fromEntries(Object.entries(tensors).filter(([name]) => inputNames.includes(name)));

const toPastName = (name: string): string => name.replace("present", "past_key_values");

/** A row's range of frames of a tensor [rows, heads, frames, width]. */
function sliceFrames(tensor: Tensor, row: number, fromFrame: number, toFrame: number): Tensor {
  const [, heads, frames, width] = tensor.dims as [number, number, number, number];
  const data = tensor.data as Float32Array;
  const length = (toFrame - fromFrame) * width;
  const slice = new Float32Array(heads * length);
  for (let head = 0; head < heads; head += 1) {
    const from = ((row * heads + head) * frames + fromFrame) * width;
    slice.set(data.subarray(from, from + length), head * length);
  }
  return new Tensor("float32", slice, [1, heads, toFrame - fromFrame, width]);
}

function joinRows(rows: readonly Tensor[]): Tensor {
  const [first] = rows;
  if (first === undefined) throw new Error("there is nothing to decode");
  if (rows.length === 1) return first;
  const joined = new Float32Array(rows.length * first.size);
  for (const [row, states] of rows.entries())
    joined.set(states.data as Float32Array, row * first.size);
  return new Tensor("float32", joined, [rows.length, ...first.dims.slice(1)]);
}

/** Only these rows (ascending) of a tensor, in its own buffer: last rows are left out without copying any. */
function moveRowsToFront({ data, dims: [count, ...dims], size }: Tensor, rows: readonly number[]) {
  const values = data as Float32Array;
  const rowSize = size / (count as number);
  for (const [to, from] of rows.entries())
    if (to !== from) values.copyWithin(to * rowSize, from * rowSize, (from + 1) * rowSize);
  return new Tensor("float32", values.subarray(0, rows.length * rowSize), [rows.length, ...dims]);
}
