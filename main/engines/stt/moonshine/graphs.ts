// Moonshine's three graphs as this app ships them: encoder (samples → frames), cross (frames → keys and values, once
// per batch) and decoder (tokens → logits, with its cache). See decoding.ts for choosing tokens.

import { Tensor } from "onnxruntime-node";
import type { ModelFiles } from "../../model-files.ts";
import { firstTokens, type RowsOfLogits, rowsOfLogits, tokenIds } from "../decoder-step.ts";

/** Hardly any two inputs have the same length, and onnxruntime would keep a pattern for each. */
export const memoryOptions = { enableMemPattern: false };

export type Tensors = Record<string, Tensor>;

/** Result of one step for a batch. */
export type Step = {
  /** Over the whole vocabulary, after one of the tokens fed. */
  logits: RowsOfLogits;
  cache: Tensors;
  /** Layer → [batch, heads, tokens, frames]; only if requested. */
  attentions: Tensor[];
};

export type Batch = {
  /** Frames of the longest row. */
  frames: number;
  /** Valid frames of each row. */
  frameCounts: readonly number[];
  /** Inputs of every step. */
  inputs: Tensors;
};

export type Graphs = {
  /** The decoder returns its attention, from which word times are made. */
  returnsAttentions: boolean;
  /** Without a mask, rows of different lengths cannot share a batch. */
  maxBatchRows: number;
  /** Rows are encoded one by one, since padding changes the encoder's results, then padded into one batch. */
  encode(rows: readonly Float32Array[]): Promise<Batch>;
  /** `tokens`: of each row equally many, after the first step one. `cache` is undefined at the first step. */
  step(
    batch: Batch,
    tokens: readonly (readonly number[])[],
    cache: Tensors | undefined,
    attentions: boolean,
  ): Promise<Step>;
  /** The cache after the first `count` of the tokens fed. */
  keepTokens(cache: Tensors, count: number): Tensors;
  close(): Promise<void>;
};

export async function createGraphs({ openGraph }: ModelFiles): Promise<Graphs> {
  const encoder = await openGraph("encoder_model.onnx", memoryOptions);
  const crossModel = await openGraph("cross_model.onnx", memoryOptions);
  const decoder = await openGraph("decoder_model.onnx", memoryOptions);
  const layers = decoder.inputNames.filter((name) => /^past\.\d+\.key$/.test(name)).length;
  const cacheNames = decoder.outputNames.filter((name) => name.startsWith("present."));
  const attentionNames = Array.from({ length: layers }, (_, layer) => `cross_attentions.${layer}`);

  function emptyCache(batch: Batch): Tensors {
    const [rows, heads, width] = batch.inputs["cross.0.key"]?.dims ?? [];
    if (rows === undefined || heads === undefined || width === undefined)
      throw new Error("cross graph returned no keys");
    const empty = new Tensor("float32", new Float32Array(0), [rows, heads, 0, width]);
    return Object.fromEntries(cacheNames.map((name) => [name, empty]));
  }

  return {
    returnsAttentions: true,
    maxBatchRows: Infinity,
    async encode(rows) {
      const hidden: Tensor[] = [];
      for (const samples of rows) {
        const outputs = await encoder.run({
          input_values: new Tensor("float32", samples, [1, samples.length]),
        });
        hidden.push(outputs["last_hidden_state"] as Tensor);
      }
      const { frameCounts, frames, states } = padStates(hidden);
      const cross = await crossModel.run({ last_hidden_state: states });
      return {
        frames,
        frameCounts,
        inputs: { encoder_attention_mask: padMask(frameCounts), ...cross } as Tensors,
      };
    },
    async step(batch, tokens, cache, attentions) {
      const past: Tensors = {};
      for (const [name, tensor] of Object.entries(cache ?? emptyCache(batch)))
        past[name.replace("present", "past")] = tensor;
      const feeds = {
        input_ids: tokenIds(tokens),
        ...past,
        ...batch.inputs,
      };
      const outputs = (await decoder.run(feeds, [
        "logits",
        ...cacheNames,
        ...(attentions ? attentionNames : []),
      ])) as Tensors;
      const { logits } = outputs;
      if (logits === undefined) throw new Error("decoder graph returned no logits");
      return {
        logits: rowsOfLogits(logits),
        cache: Object.fromEntries(cacheNames.map((name) => [name, outputs[name] as Tensor])),
        attentions: attentions ? attentionNames.map((name) => outputs[name] as Tensor) : [],
      };
    },
    keepTokens: keepCachedTokens,
    close: async () => {
      for (const session of [encoder, crossModel, decoder]) await session.release();
    },
  };
}

/** Keys and values of the encoder's states, which some graphs have in the cache, stay whole. */
export const keepCachedTokens: Graphs["keepTokens"] = (cache, count) =>
  Object.fromEntries(
    Object.entries(cache).map(([name, tensor]) => [
      name,
      name.includes(".encoder.") ? tensor : firstTokens(tensor, count),
    ]),
  );

/** Encoder states of single rows → those of a batch, padded with zeros. */
export function padStates(rows: readonly Tensor[]): {
  frameCounts: number[];
  frames: number;
  states: Tensor;
} {
  const frameCounts = rows.map((state) => state.dims[1] ?? 0);
  const frames = Math.max(...frameCounts);
  const width = rows[0]?.dims[2] ?? 0;
  const states = new Float32Array(rows.length * frames * width);
  for (const [row, state] of rows.entries())
    states.set(state.data as Float32Array, row * frames * width);
  return {
    frameCounts,
    frames,
    states: new Tensor("float32", states, [rows.length, frames, width]),
  };
}

/** A row of ones for each length, padded with zeros. */
export function padMask(lengths: readonly number[]): Tensor {
  const longest = Math.max(...lengths);
  const mask = new BigInt64Array(lengths.length * longest);
  for (const [row, length] of lengths.entries())
    mask.fill(1n, row * longest, row * longest + length);
  return new Tensor("int64", mask, [lengths.length, longest]);
}
