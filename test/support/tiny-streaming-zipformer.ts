// A streaming Zipformer of the layout of real ones, see tiny-sherpa-models.ts.

import type { InstalledModel } from "../../main/contract/models.ts";
import { floats, int64s, writeOnnx } from "./onnx-writer.ts";
import { node, recognizerOf, tokensFile, writeModel } from "./tiny-sherpa-models.ts";
import { zipformerDecoder, zipformerJoiner } from "./tiny-sherpa-recognizers.ts";

/** Words of the streaming Zipformer, one each 0.48 s from 0.16 s on. */
const streamedWords = "ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN".split(" ");
const streamingSymbols = [
  "<blk>",
  "<sos/eos>",
  "<unk>",
  ...streamedWords.map((word) => `▁${word}`),
];
const framesPerWord = 12;
const streamingFrames = [
  ...streamedWords.flatMap((_, index) =>
    Array.from({ length: framesPerWord }, (_frame, frame) => (frame === 4 ? index + 3 : 0)),
  ),
  0,
];
/** Features of 10 ms that a chunk has, and by how many the next one is later. */
const chunkFrames = { length: 45, step: 32 };

/** Its states are those of one stack of one layer; of these it uses the number of frames so far. */
function streamingEncoder(): Buffer {
  const leftContext = 128;
  const states = {
    cached_key_0: ["float", [leftContext, "N", 4]],
    cached_nonlin_attn_0: ["float", [1, "N", leftContext, 6]],
    cached_val1_0: ["float", [leftContext, "N", 4]],
    cached_val2_0: ["float", [leftContext, "N", 4]],
    cached_conv1_0: ["float", ["N", 8, 15]],
    cached_conv2_0: ["float", ["N", 8, 15]],
    embed_states: ["float", ["N", 128, 3, 19]],
    processed_lens: ["int64", ["N"]],
  } as const;
  const kept = Object.keys(states).filter((name) => name !== "processed_lens");
  return writeOnnx({
    inputs: { x: ["float", ["N", chunkFrames.length, 80]], ...states },
    outputs: {
      encoder_out: ["float", ["N", "L", 1]],
      ...Object.fromEntries(Object.entries(states).map(([name, value]) => [`new_${name}`, value])),
    },
    nodes: [
      ...kept.map((name) => node("Identity", [name], `new_${name}`)),
      node("Add", ["processed_lens", "step"], "new_processed_lens"),
      node("Unsqueeze", ["processed_lens", "one"], "from"),
      node("Add", ["from", "positions"], "frames"),
      node("Cast", ["frames"], "numbers", { to: 1 }),
      node("Unsqueeze", ["numbers", "two"], "heard"),
      node("ReduceMean", ["x"], "loudness", { axes: [1, 2] }),
      node("Greater", ["loudness", "silence"], "isSound"),
      node("Where", ["isSound", "heard", "nothing"], "encoder_out"),
    ],
    initializers: {
      // Logarithm of the energy; -15.9 is that of zeros.
      silence: floats([], [-15]),
      nothing: floats([], [streamingFrames.length - 1]),
      step: int64s([1], [chunkFrames.step / 4]),
      positions: int64s([1, 8], [0, 1, 2, 3, 4, 5, 6, 7]),
      one: int64s([1], [1]),
      two: int64s([1], [2]),
    },
    metadata: {
      model_type: "zipformer2",
      version: "1",
      model_author: "k2-fsa",
      comment: "streaming zipformer2",
      decode_chunk_len: chunkFrames.step,
      T: chunkFrames.length,
      num_encoder_layers: "1",
      encoder_dims: "8",
      cnn_module_kernels: "31",
      left_context_len: String(leftContext),
      query_head_dims: "4",
      value_head_dims: "4",
      num_heads: "1",
    },
  });
}

/** Streaming Zipformer that counts to ten from the start of the audio, silently where a chunk of it is silent. */
export const writeStreamingZipformer = (dir: string): InstalledModel =>
  writeModel(
    dir,
    {
      "encoder-epoch-99-avg-1-chunk-16-left-128.int8.onnx": streamingEncoder(),
      "decoder-epoch-99-avg-1-chunk-16-left-128.onnx": zipformerDecoder(streamingSymbols),
      "joiner-epoch-99-avg-1-chunk-16-left-128.int8.onnx": zipformerJoiner(
        streamingSymbols,
        streamingFrames,
      ),
      "tokens.txt": tokensFile(streamingSymbols),
    },
    recognizerOf("zipformer-streaming", ["en"], { streaming: true }),
  );
