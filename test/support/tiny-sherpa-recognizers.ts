// Canary and Zipformer of the layout of real ones, see tiny-sherpa-models.ts.

import type { InstalledModel } from "../../main/contract/models.ts";
import { floats, int64s, type OnnxTensor, writeOnnx } from "./onnx-writer.ts";
import { node, recognizerOf, tokensFile, writeModel } from "./tiny-sherpa-models.ts";

const canarySymbols = [
  "<unk>",
  "<|nospeech|>",
  "<pad>",
  "<|endoftext|>",
  "<|startoftranscript|>",
  "<|pnc|>",
  "<|nopnc|>",
  "<|startofcontext|>",
  "<|itn|>",
  "<|noitn|>",
  "<|timestamp|>",
  "<|notimestamp|>",
  "<|diarize|>",
  "<|nodiarize|>",
  "<|emo:undefined|>",
  "<|en|>",
  "<|de|>",
  "<|es|>",
  "<|fr|>",
  "▁good",
  "▁morn",
  "ing",
  "▁guten",
  "▁Morgen",
  "▁said",
  "▁in",
  "▁German",
];
/** What it writes, by the languages of the speech and of the text. */
const canaryTexts: readonly [source: string, target: string, tokens: readonly string[]][] = [
  ["en", "en", ["▁good", "▁morn", "ing"]],
  ["de", "de", ["▁guten", "▁Morgen"]],
  ["de", "en", ["▁good", "▁morn", "ing", "▁said", "▁in", "▁German"]],
];
const canaryLayers = [0, 1, 2, 3, 4, 5];
const canaryWidth = 1024;
const idOf = (symbol: string): number => canarySymbols.indexOf(symbol);

/** The token after each token, for each pair of languages: [source, target, token]. */
function canaryNextTokens(): OnnxTensor {
  const count = canarySymbols.length;
  const next = Array.from({ length: count ** 3 }, () => idOf("<|endoftext|>"));
  for (const [source, target, tokens] of canaryTexts) {
    const row = (idOf(`<|${source}|>`) * count + idOf(`<|${target}|>`)) * count;
    // The prompt ends in this token.
    for (const [index, symbol] of ["<|nodiarize|>", ...tokens].entries())
      next[row + idOf(symbol)] = idOf(tokens[index] ?? "<|endoftext|>");
  }
  return int64s([next.length], next);
}

/** Canary that returns "good morning", or "guten Morgen" for German, for any audio. */
export function writeCanary(dir: string): InstalledModel {
  const encoder = writeOnnx({
    inputs: { x: ["float", ["N", "T", 128]], x_len: ["int64", ["N"]] },
    outputs: {
      enc_states: ["float", ["N", "L", canaryWidth]],
      enc_len: ["int64", ["N"]],
      enc_mask: ["bool", ["N", "L"]],
    },
    nodes: [
      node("Shape", ["x"], "shape"),
      node("Gather", ["shape", "one"], "frames"),
      node("Div", ["frames", "eight"], "length"),
      node("Concat", ["one", "length", "width"], "stateShape", { axis: 0 }),
      node("Expand", ["nothing", "stateShape"], "enc_states"),
      node("Div", ["x_len", "eight"], "enc_len"),
      node("Concat", ["one", "length"], "maskShape", { axis: 0 }),
      node("Expand", ["yes", "maskShape"], "enc_mask"),
    ],
    initializers: {
      one: int64s([1], [1]),
      eight: int64s([1], [8]),
      width: int64s([1], [canaryWidth]),
      nothing: floats([1], [0]),
      yes: { dims: [1], data: Uint8Array.of(1), type: "bool" },
    },
    metadata: {
      model_type: "EncDecMultiTaskModel",
      version: 1,
      vocab_size: canarySymbols.length,
      normalize_type: "per_feature",
      subsampling_factor: 8,
      feat_dim: 128,
    },
  });
  // Its memories keep the tokens that it was fed, from which it knows the languages.
  const decoder = writeOnnx({
    inputs: {
      decoder_input_ids: ["int32", [1, "num_tokens"]],
      ...Object.fromEntries(
        canaryLayers.map((layer) => [
          `decoder_mems_list_${layer}`,
          ["float", [1, "num_tokens", canaryWidth]] as const,
        ]),
      ),
      enc_states: ["float", [1, "T", canaryWidth]],
      enc_mask: ["bool", [1, "T"]],
    },
    outputs: {
      logits: ["float", [1, 1, canarySymbols.length]],
      ...Object.fromEntries(
        canaryLayers.map((layer) => [
          `next_decoder_mem_list_${layer}`,
          ["float", [1, "num_tokens_2", canaryWidth]] as const,
        ]),
      ),
    },
    nodes: [
      node("Gather", ["decoder_input_ids", "first"], "token", { axis: 1 }),
      node("Cast", ["token"], "tokenId", { to: 7 }),
      node("Cast", ["token"], "number", { to: 1 }),
      node("Unsqueeze", ["number", "two"], "narrow"),
      node("Expand", ["narrow", "memoryShape"], "memory"),
      ...canaryLayers.map((layer) =>
        node("Concat", [`decoder_mems_list_${layer}`, "memory"], `next_decoder_mem_list_${layer}`, {
          axis: 1,
        }),
      ),
      node("Shape", ["next_decoder_mem_list_0"], "fedShape"),
      node("Gather", ["fedShape", "one"], "fedCount"),
      node("Sub", ["fedCount", "one"], "last"),
      ...["source", "target"].flatMap((language) => [
        node("Min", ["last", `${language}Place`], `${language}At`),
        node("Gather", ["next_decoder_mem_list_0", `${language}At`], `${language}Row`, { axis: 1 }),
        node("Gather", [`${language}Row`, "first"], `${language}Number`, { axis: 2 }),
        node("Cast", [`${language}Number`], `${language}Wide`, { to: 7 }),
        node("Reshape", [`${language}Wide`, "one"], language),
      ]),
      node("Mul", ["source", "count"], "sourceBase"),
      node("Add", ["sourceBase", "target"], "pair"),
      node("Mul", ["pair", "count"], "pairBase"),
      node("Add", ["pairBase", "tokenId"], "place"),
      node("Gather", ["next", "place"], "chosen"),
      node("OneHot", ["chosen", "depth", "values"], "logits"),
    ],
    initializers: {
      first: int64s([1], [0]),
      one: int64s([1], [1]),
      two: int64s([1], [2]),
      memoryShape: int64s([3], [1, 1, canaryWidth]),
      sourcePlace: int64s([1], [3]),
      targetPlace: int64s([1], [4]),
      count: int64s([1], [canarySymbols.length]),
      next: canaryNextTokens(),
      depth: int64s([], [canarySymbols.length]),
      values: floats([2], [0, 10]),
    },
  });
  const languages = ["en", "de", "es", "fr"];
  return writeModel(
    dir,
    {
      "encoder.int8.onnx": encoder,
      "decoder.int8.onnx": decoder,
      "tokens.txt": tokensFile(canarySymbols),
    },
    recognizerOf("canary", languages, { wordTimes: false, translatesTo: languages }),
  );
}

/** Passes on the last token, which the joiner below has no use for. */
export const zipformerDecoder = (symbols: readonly string[]): Buffer =>
  writeOnnx({
    inputs: { y: ["int64", ["N", 2]] },
    outputs: { decoder_out: ["float", ["N", 1]] },
    nodes: [
      node("Cast", ["y"], "numbers", { to: 1 }),
      node("Gather", ["numbers", "last"], "decoder_out", { axis: 1 }),
    ],
    initializers: { last: int64s([1], [1]) },
    metadata: { context_size: 2, vocab_size: symbols.length },
  });

/** Knows from a frame's features, its number, which token is due. @param tokens by frame; the last one stays */
export function zipformerJoiner(symbols: readonly string[], tokens: readonly number[]): Buffer {
  const rows = tokens.map((token) => symbols.map((_, id) => (id === token ? 10 : 0)));
  return writeOnnx({
    inputs: { encoder_out: ["float", ["N", 1]], decoder_out: ["float", ["N", 1]] },
    outputs: { logit: ["float", ["N", symbols.length]] },
    nodes: [
      node("Cast", ["encoder_out"], "frame", { to: 7 }),
      node("Min", ["frame", "last"], "place"),
      node("Gather", ["table", "place"], "row"),
      node("Reshape", ["row", "shape"], "logit"),
    ],
    initializers: {
      last: int64s([], [rows.length - 1]),
      table: floats([rows.length, symbols.length], rows.flat()),
      shape: int64s([2], [-1, symbols.length]),
    },
    metadata: { joiner_dim: 1 },
  });
}

const zipformerSymbols = ["<blk>", "<sos/eos>", "<unk>", "▁GOOD", "▁MORN", "ING"];
/** Token of each frame of 40 ms; 0 is nothing. */
const zipformerFrames = [0, 0, 3, 0, 0, 4, 0, 5, 0];

/** Zipformer that recognizes "GOOD MORNING" in any audio. */
export function writeZipformer(dir: string): InstalledModel {
  const encoder = writeOnnx({
    inputs: { x: ["float", ["N", "T", 80]], x_lens: ["int64", ["N"]] },
    outputs: { encoder_out: ["float", ["N", "L", 1]], encoder_out_lens: ["int64", ["N"]] },
    nodes: [
      node("Div", ["x_lens", "four"], "encoder_out_lens"),
      node("ReduceMax", ["encoder_out_lens"], "longest", { keepdims: 0 }),
      node("Range", ["zero", "longest", "one"], "positions"),
      node("Cast", ["positions"], "numbers", { to: 1 }),
      node("Unsqueeze", ["numbers", "axes"], "encoder_out"),
    ],
    initializers: {
      four: int64s([], [4]),
      zero: int64s([], [0]),
      one: int64s([], [1]),
      axes: int64s([2], [0, 2]),
    },
    metadata: {
      model_type: "zipformer2",
      version: "1",
      model_author: "k2-fsa",
      comment: "non-streaming zipformer2",
    },
  });
  return writeModel(
    dir,
    {
      "encoder-epoch-99-avg-1.int8.onnx": encoder,
      "decoder-epoch-99-avg-1.onnx": zipformerDecoder(zipformerSymbols),
      "joiner-epoch-99-avg-1.int8.onnx": zipformerJoiner(zipformerSymbols, zipformerFrames),
      "tokens.txt": tokensFile(zipformerSymbols),
    },
    recognizerOf("zipformer", ["en"]),
  );
}
