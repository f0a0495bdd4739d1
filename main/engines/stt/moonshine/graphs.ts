// Moonshine's three graphs on onnxruntime: encoder (samples → frames), cross (frames → keys and values, once per batch)
// and decoder (one step per token, with its cache). See decoding.ts for choosing tokens.

import { type InferenceSession, Tensor } from "onnxruntime-node";
import { openSession } from "../../session-options.ts";

type Tensors = Record<string, Tensor>;

/** Result of one step for a batch. */
export type Step = {
  /** [batch, vocabulary] */
  logits: Float32Array;
  vocabularySize: number;
  cache: Tensors;
  /** Layer → [batch, heads, tokens, frames]; only if requested. */
  attentions: Tensor[];
};

export type Batch = {
  /** Frames of the longest row. */
  frames: number;
  /** Valid frames of each row. */
  frameCounts: readonly number[];
  mask: Tensor;
  cross: Tensors;
};

export type Graphs = {
  layers: number;
  /** Rows are encoded one by one, since the encoder has no mask, then padded into one batch. */
  encode(rows: readonly Float32Array[]): Promise<Batch>;
  /** `tokens` has one token per row; `cache` is undefined at the first step. */
  step(
    batch: Batch,
    tokens: readonly number[],
    cache: Tensors | undefined,
    attentions: boolean,
  ): Promise<Step>;
  close(): Promise<void>;
};

export async function createGraphs(
  read: (fileName: string) => Promise<Uint8Array>,
): Promise<Graphs> {
  const openGraph = async (name: string): Promise<InferenceSession> =>
    openSession(await read(name));
  const encoder = await openGraph("encoder_model.onnx");
  const crossModel = await openGraph("cross_model.onnx");
  const decoder = await openGraph("decoder_model.onnx");
  const layers = decoder.inputNames.filter((name) => /^past\.\d+\.key$/.test(name)).length;
  const cacheNames = decoder.outputNames.filter((name) => name.startsWith("present."));
  const attentionNames = Array.from({ length: layers }, (_, layer) => `cross_attentions.${layer}`);

  function emptyCache(batch: Batch): Tensors {
    const [rows, heads, width] = batch.cross["cross.0.key"]?.dims ?? [];
    if (rows === undefined || heads === undefined || width === undefined)
      throw new Error("cross graph returned no keys");
    const empty = new Tensor("float32", new Float32Array(0), [rows, heads, 0, width]);
    return Object.fromEntries(cacheNames.map((name) => [name, empty]));
  }

  return {
    layers,
    async encode(rows) {
      const hidden: Tensor[] = [];
      for (const samples of rows) {
        const outputs = await encoder.run({
          input_values: new Tensor("float32", samples, [1, samples.length]),
        });
        hidden.push(outputs["last_hidden_state"] as Tensor);
      }
      const frameCounts = hidden.map((state) => state.dims[1] ?? 0);
      const frames = Math.max(...frameCounts);
      const width = hidden[0]?.dims[2] ?? 0;
      const states = new Float32Array(rows.length * frames * width);
      const mask = new BigInt64Array(rows.length * frames);
      for (const [row, state] of hidden.entries()) {
        states.set(state.data as Float32Array, row * frames * width);
        mask.fill(1n, row * frames, row * frames + (frameCounts[row] ?? 0));
      }
      const cross = await crossModel.run({
        last_hidden_state: new Tensor("float32", states, [rows.length, frames, width]),
      });
      return {
        frames,
        frameCounts,
        mask: new Tensor("int64", mask, [rows.length, frames]),
        cross: cross as Tensors,
      };
    },
    async step(batch, tokens, cache, attentions) {
      const ids = BigInt64Array.from(tokens, BigInt);
      const past: Tensors = {};
      for (const [name, tensor] of Object.entries(cache ?? emptyCache(batch)))
        past[name.replace("present", "past")] = tensor;
      const feeds = {
        input_ids: new Tensor("int64", ids, [tokens.length, 1]),
        encoder_attention_mask: batch.mask,
        ...past,
        ...batch.cross,
      };
      const outputs = (await decoder.run(feeds, [
        "logits",
        ...cacheNames,
        ...(attentions ? attentionNames : []),
      ])) as Tensors;
      const { logits } = outputs;
      if (logits === undefined) throw new Error("decoder graph returned no logits");
      const vocabularySize = logits.dims[2] ?? 0;
      return {
        logits: logits.data as Float32Array,
        vocabularySize,
        cache: Object.fromEntries(cacheNames.map((name) => [name, outputs[name] as Tensor])),
        attentions: attentions ? attentionNames.map((name) => outputs[name] as Tensor) : [],
      };
    },
    close: async () => {
      for (const session of [encoder, crossModel, decoder]) await session.release();
    },
  };
}
