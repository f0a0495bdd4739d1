// Files of speech-to-text families: Whisper and Moonshine in the layouts of the model hub, the others in sherpa-onnx's.

import { AppError } from "../../contract/errors.ts";
import { languageNames } from "../../contract/languages.ts";
import { noCapabilities } from "../../contract/models.ts";
import {
  allPresent,
  isFields,
  type ModelFileSet,
  readFields,
  type RecognizeFamily,
} from "./family-recognizer.ts";
import type { FileFinder } from "./file-finder.ts";
import { languagesInName } from "./languages-in-name.ts";

/** Variants of the hub's graphs in the order of preference on a CPU; q8 first, since matrix products are fastest so. */
const hubVariants = ["_quantized", "_int8", "_uint8", "", "_q4", "_bnb4", "_fp16", "_q4f16"];
/** Of sherpa-onnx's. */
const smallestFirst = [".int8", "", ".fp16"];
const exactFirst = ["", ".int8", ".fp16"];

const whisper: RecognizeFamily = async (files, set) => {
  const roles = allPresent({
    config: files.named("config.json"),
    generationConfig: files.named("generation_config.json"),
    tokenizer: files.named("tokenizer.json"),
    encoder: files.graph(/encoder_model/, ["_any_length", ...hubVariants]),
    ...whisperDecoder(files),
  });
  if (roles === undefined) return undefined;
  const config = await readFields(set, roles.config);
  if (config["model_type"] !== "whisper") return undefined;
  const generation = await readFields(set, roles.generationConfig);
  const languageTokens = generation["is_multilingual"] === false ? {} : generation["lang_to_id"];
  const languages = (isFields(languageTokens) ? Object.keys(languageTokens) : [])
    .map((tag) => tag.slice(2, -2))
    .filter((code) => languageNames.has(code));
  const isMultilingual = languages.length > 1;
  // Turbo and distilled models have fewer decoder layers, and were trained on transcription only.
  const isPruned = Number(config["decoder_layers"]) < Number(config["encoder_layers"]);
  return {
    family: "whisper",
    kind: "speech-to-text",
    roles,
    missingRoles: [],
    languages: isMultilingual ? languages : ["en"],
    entryFields: { batchMaxSec: 20, singlePassMaxSec: 30 },
    capabilities: {
      ...noCapabilities,
      wordTimes: await hasCrossAttentions(set, roles.decoder),
      languageDetection: isMultilingual,
      prompt: true,
      translatesTo: isMultilingual && !isPruned ? ["en"] : [],
    },
  };
};

/**
 * One graph for all steps; or else two of the same variant, one for the first step and, as a role of its own, one for
 * those with a cache.
 */
function whisperDecoder(files: FileFinder): { decoder: string | undefined } {
  const merged = files.graph(/decoder_model_merged/, hubVariants);
  if (merged !== undefined) return { decoder: merged };
  const pairs = hubVariants.map((variant) => ({
    decoder: files.graph(/decoder_model/, [variant]),
    decoderWithPast: files.graph(/decoder_with_past_model/, [variant]),
  }));
  return pairs.find((pair) => allPresent(pair) !== undefined) ?? { decoder: undefined };
}

/** Exports with word times return the cross attentions; the hub's repositories of those end in `_timestamped`. */
const hasCrossAttentions = async (set: ModelFileSet, decoder: string): Promise<boolean> =>
  set.contains?.(decoder, "cross_attentions.0") ?? set.name.includes("_timestamped");

/** Rebuilt graphs, as this app ships them. */
const moonshine: RecognizeFamily = async (files) => {
  const roles = allPresent({
    encoder: files.named("encoder_model.onnx"),
    cross: files.named("cross_model.onnx"),
    decoder: files.named("decoder_model.onnx"),
    vocabulary: files.named("vocabulary.json"),
  });
  return (
    roles && {
      family: "moonshine",
      kind: "speech-to-text",
      roles,
      missingRoles: [],
      languages: ["en"],
      capabilities: { ...noCapabilities, wordTimes: true },
    }
  );
};

/** Of the second generation, and any in the hub's layout. Only its name tells the language. */
const moonshineV2: RecognizeFamily = async (files, set) => {
  const roles =
    allPresent({
      encoder: files.named("encoder_model.ort"),
      decoder: files.named("decoder_model_merged.ort"),
      // sherpa-onnx's repositories have the one, Moonshine's own downloads the other.
      tokens: files.named("tokens.txt") ?? files.named("tokenizer.bin"),
    }) ?? (await moonshineOfHub(files, set));
  return (
    roles && {
      family: "moonshine-v2",
      kind: "speech-to-text",
      roles,
      missingRoles: [],
      languages: languagesInName(set.name).slice(0, 1),
      capabilities: noCapabilities,
    }
  );
};

async function moonshineOfHub(
  files: FileFinder,
  set: ModelFileSet,
): Promise<Record<string, string> | undefined> {
  const roles = allPresent({
    config: files.named("config.json"),
    tokenizer: files.named("tokenizer.json"),
    encoder: files.graph(/encoder_model/, hubVariants),
    decoder: files.graph(/decoder_model_merged/, hubVariants),
  });
  if (roles === undefined) return undefined;
  return (await readFields(set, roles.config))["model_type"] === "moonshine" ? roles : undefined;
}

/** Languages of NVIDIA's Parakeet TDT 0.6b v3. */
const europeanLanguages =
  "bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro sk sl es sv ru uk".split(" ");

/** Repositories of streaming models may have several variants. This one hears most of what came before. */
const longestContext = "-left-128";
const withLongestContext = (suffixes: readonly string[]): string[] =>
  suffixes.flatMap((suffix) => [`${longestContext}${suffix}`, suffix]);

const transducer: RecognizeFamily = async (files, set) => {
  const roles = allPresent({
    encoder: files.graph(/encoder(-[^.]*)?/, withLongestContext(smallestFirst)),
    // Small, and the quantized one is less accurate.
    decoder: files.graph(/decoder(-[^.]*)?/, withLongestContext(exactFirst)),
    joiner: files.graph(/joiner(-[^.]*)?/, withLongestContext(smallestFirst)),
    tokens: files.named("tokens.txt"),
  });
  if (roles === undefined) return undefined;
  const tokens = await readTokens(set, roles.tokens);
  // Blank is NeMo's last token, and icefall's first one.
  const isNemo = tokens.at(-1) === "<blk>";
  const streaming = await isStreaming(set, roles.encoder);
  if (streaming && isNemo) throw new AppError("model.onlyStreams", { model: set.name });
  const named = languagesInName(set.name);
  const [unknown, english, european] = [[], ["en"], europeanLanguages];
  const nemoLanguages =
    tokens.length > 8000 ? european : tokens.length === 1025 ? english : unknown;
  return {
    family: isNemo ? "parakeet" : streaming ? "zipformer-streaming" : "zipformer",
    kind: "speech-to-text",
    roles,
    missingRoles: [],
    languages: named.length > 0 ? named : isNemo ? nemoLanguages : unknown,
    capabilities: {
      ...noCapabilities,
      wordTimes: true,
      languageDetection: isNemo && tokens.length > 8000,
      streaming,
    },
  };
};

/**
 * Models that take audio in chunks of a fixed length. sherpa-onnx has another recognizer for them, and ends its process
 * if they are given to the one for whole segments.
 */
const isStreaming = async (set: ModelFileSet, encoder: string): Promise<boolean> =>
  encoder.includes("-chunk-") ||
  (/streaming/i.test(set.name) && !/non-?streaming/i.test(set.name)) ||
  // Properties of icefall's graphs, inputs of NeMo's.
  (await set.contains?.(encoder, "decode_chunk_len")) === true ||
  (await set.contains?.(encoder, "cache_last_channel")) === true;

const canary: RecognizeFamily = async (files, set) => {
  const roles = allPresent({
    encoder: files.graph(/encoder/, smallestFirst),
    decoder: files.graph(/decoder/, smallestFirst),
    tokens: files.named("tokens.txt"),
  });
  if (roles === undefined || /cohere/i.test(set.name)) return undefined;
  const tokens = await readTokens(set, roles.tokens);
  if (!tokens.includes("<|startofcontext|>")) return undefined;
  // All that sherpa-onnx knows by name: it takes any other language for English, also with models of more languages.
  const languages = ["en", "de", "es", "fr"];
  return {
    family: "canary",
    kind: "speech-to-text",
    roles,
    missingRoles: [],
    languages,
    capabilities: { ...noCapabilities, translatesTo: languages },
  };
};

const senseVoice: RecognizeFamily = async (files, set) => {
  const roles = allPresent({
    model: files.graph(/model/, smallestFirst),
    tokens: files.named("tokens.txt"),
  });
  if (roles === undefined) return undefined;
  const tokens = await readTokens(set, roles.tokens);
  // Names of languages and feelings; other models of one graph have none.
  if (!tokens.includes("<|yue|>") || !tokens.includes("<|NEUTRAL|>")) return undefined;
  return {
    family: "sense-voice",
    kind: "speech-to-text",
    roles,
    missingRoles: [],
    languages: ["zh", "en", "ja", "ko", "yue"],
    capabilities: { ...noCapabilities, wordTimes: true, languageDetection: true },
  };
};

/** The order matters where one family's files are a part of another's. */
export const speechToTextFamilies: readonly RecognizeFamily[] = [
  whisper,
  moonshine,
  moonshineV2,
  transducer,
  canary,
  senseVoice,
];

/** The tokens of sherpa-onnx's list: a token and its number in each line. */
const readTokens = async (set: ModelFileSet, fileName: string): Promise<string[]> =>
  (await set.readText(fileName))
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.replace(/\s+\d+$/, ""));
