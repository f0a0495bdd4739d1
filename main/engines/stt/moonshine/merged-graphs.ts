// Moonshine's two graphs as on the model hub: encoder and merged decoder, in version 2 with masks. See graphs.ts for
// those this app ships.

import { Tensor } from "onnxruntime-node";
import type { ModelFiles } from "../../model-files.ts";
import { rowsOfLogits, tokenIds } from "../decoder-step.ts";
import {
  type Graphs,
  keepCachedTokens,
  memoryOptions,
  padMask,
  padStates,
  type Tensors,
} from "./graphs.ts";

export async function createMergedGraphs({ names, openGraph }: ModelFiles): Promise<Graphs> {
  const findFile = (pattern: RegExp): string => {
    const name = names.find((fileName) => pattern.test(fileName));
    if (name === undefined) throw new Error(`the model has no file ${pattern.source}`);
    return name;
  };
  const encoder = await openGraph(findFile(/encoder_model[^/]*\.(onnx|ort)$/), memoryOptions);
  const decoder = await openGraph(
    findFile(/decoder_model_merged[^/]*\.(onnx|ort)$/),
    memoryOptions,
  );
  const isMasked = decoder.inputNames.includes("encoder_attention_mask");
  const cacheNames = decoder.outputNames.filter((name) => /^present\.\d+\.decoder\./.test(name));
  const crossNames = decoder.outputNames.filter((name) => /^present\.\d+\.encoder\./.test(name));
  const cacheInput = decoder.inputMetadata.find(({ name }) => name.startsWith("past_key_values."));
  const [, heads, , width] = cacheInput?.isTensor === true ? cacheInput.shape : [];
  if (typeof heads !== "number" || typeof width !== "number")
    throw new Error("the decoder has no cache");

  async function encodeRow(samples: Float32Array): Promise<Tensor> {
    const dims = [1, samples.length];
    const { last_hidden_state: states } = await encoder.run({
      input_values: new Tensor("float32", samples, dims),
      ...(encoder.inputNames.includes("attention_mask")
        ? { attention_mask: padMask([samples.length]) }
        : {}),
    });
    return states as Tensor;
  }

  return {
    returnsAttentions: false,
    maxBatchRows: isMasked ? Infinity : 1,
    async encode(rows) {
      const encoded: Tensor[] = [];
      for (const samples of rows) encoded.push(await encodeRow(samples));
      const { frameCounts, frames, states } = padStates(encoded);
      return {
        frames,
        frameCounts,
        inputs: {
          encoder_hidden_states: states,
          // As long as the audio: the graph itself takes a value for each frame from it.
          ...(isMasked
            ? { encoder_attention_mask: padMask(rows.map(({ length }) => length)) }
            : {}),
        },
      };
    },
    async step({ inputs }, tokens, cache) {
      const first = cache === undefined;
      const empty = new Tensor("float32", new Float32Array(0), [tokens.length, heads, 0, width]);
      const past = first
        ? Object.fromEntries([...cacheNames, ...crossNames].map((name) => [name, empty]))
        : cache;
      const outputs = (await decoder.run(
        {
          ...inputs,
          ...Object.fromEntries(
            Object.entries(past).map(([name, tensor]) => [
              name.replace("present", "past_key_values"),
              tensor,
            ]),
          ),
          input_ids: tokenIds(tokens),
          use_cache_branch: new Tensor("bool", [!first], [1]),
        },
        ["logits", ...cacheNames, ...(first ? crossNames : [])],
      )) as Tensors;
      const { logits, ...presents } = outputs;
      if (logits === undefined) throw new Error("decoder graph returned no logits");
      return {
        logits: rowsOfLogits(logits),
        // Only the first step returns keys and values of the encoder's states.
        cache: { ...past, ...presents },
        attentions: [],
      };
    },
    keepTokens: keepCachedTokens,
    async close() {
      await encoder.release();
      await decoder.release();
    },
  };
}
