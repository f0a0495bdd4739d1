// Configuration of a Whisper export: dimensions, special tokens, languages, alignment heads. Relies only on the keys of
// config.json, generation_config.json and tokenizer.json as on the Hugging Face hub.

import { Tokenizer } from "@huggingface/tokenizers";
import type { AttentionHead } from "../decoder-step.ts";

/** Step of the timestamps, and length of an encoder output frame. */
export const secPerFrame = 0.02;

export type WhisperConfiguration = {
  melBands: number;
  /** Encoder output frames of a full window; each covers two feature frames. */
  encoderFrames: number;
  /** Maximum length of a decoder sequence. */
  maxSequence: number;
  startToken: number;
  endToken: number;
  /** Marks the text before this window. */
  previousToken: number;
  noSpeechToken: number;
  noTimestampsToken: number;
  /** 0.00 s; each following token is one frame later. */
  firstTimestamp: number;
  /** The first timestamp of a window is at most this many frames. */
  maxInitialTimestamp: number;
  /** Undefined if the model can only transcribe. */
  tasks: { transcribe: number; translate: number } | undefined;
  /** Code → token; empty if the model knows only English. */
  languages: ReadonlyMap<string, number>;
  /** Never chosen. */
  suppressed: readonly number[];
  /** Not chosen as the first token. */
  suppressedAtStart: readonly number[];
  alignmentHeads: readonly AttentionHead[];
};

export type WhisperVocabulary = {
  /** Text of tokens; special tokens and timestamps have none. */
  decode(tokens: readonly number[]): string;
  /** Tokens of a text; text written like a special token is dropped. */
  encode(text: string): number[];
};

type Config = {
  num_mel_bins: number;
  max_source_positions: number;
  max_target_positions: number;
  decoder_layers: number;
  decoder_attention_heads: number;
  suppress_tokens?: number[];
  begin_suppress_tokens?: number[];
};
type GenerationConfig = {
  is_multilingual?: boolean;
  decoder_start_token_id: number;
  eos_token_id: number;
  no_timestamps_token_id: number;
  prev_sot_token_id?: number;
  max_initial_timestamp_index?: number;
  lang_to_id?: Record<string, number>;
  task_to_id?: { transcribe: number; translate: number };
  suppress_tokens?: number[];
  begin_suppress_tokens?: number[];
  alignment_heads?: [number, number][];
};

/**
 * @param read returns the text of a file
 * @throws Error if the files do not describe a Whisper model
 */
export async function readConfiguration(
  read: (fileName: string) => Promise<string>,
): Promise<{ configuration: WhisperConfiguration; vocabulary: WhisperVocabulary }> {
  const config = JSON.parse(await read("config.json")) as Config;
  const generation = JSON.parse(await read("generation_config.json")) as GenerationConfig;
  const tokenizer = new Tokenizer(JSON.parse(await read("tokenizer.json")) as object, {});
  const noTimestampsToken = generation.no_timestamps_token_id;
  const previousToken = generation.prev_sot_token_id ?? tokenizer.token_to_id("<|startofprev|>");
  const needed = [
    config.num_mel_bins,
    config.max_source_positions,
    config.max_target_positions,
    config.decoder_layers,
    config.decoder_attention_heads,
    generation.decoder_start_token_id,
    generation.eos_token_id,
    noTimestampsToken,
  ];
  // Without its dimensions, windows and sequences would never end.
  if (!needed.every((count) => Number.isInteger(count) && count > 0) || previousToken === undefined)
    throw new Error("the files describe no Whisper model");
  const endToken = generation.eos_token_id;
  const isMultilingual = generation.is_multilingual !== false;
  return {
    configuration: {
      melBands: config.num_mel_bins,
      encoderFrames: config.max_source_positions,
      maxSequence: config.max_target_positions,
      startToken: generation.decoder_start_token_id,
      endToken,
      previousToken,
      // Both tokens are adjacent in every vocabulary of openai/whisper.
      noSpeechToken: noTimestampsToken - 1,
      noTimestampsToken,
      firstTimestamp: noTimestampsToken + 1,
      maxInitialTimestamp: generation.max_initial_timestamp_index ?? 50,
      tasks: isMultilingual ? generation.task_to_id : undefined,
      languages: new Map(
        Object.entries((isMultilingual && generation.lang_to_id) || {}).map(
          ([languageTag, token]) => [languageTag.slice(2, -2), token],
        ),
      ),
      suppressed: generation.suppress_tokens ?? config.suppress_tokens ?? [],
      suppressedAtStart: generation.begin_suppress_tokens ?? config.begin_suppress_tokens ?? [],
      alignmentHeads: readAlignmentHeads(config, generation),
    },
    vocabulary: {
      decode(tokens) {
        const textTokens = tokens.filter((token) => token < endToken);
        return textTokens.length === 0
          ? ""
          : tokenizer.decode(textTokens, {
              skip_special_tokens: true,
              clean_up_tokenization_spaces: false,
            });
      },
      encode: (text) =>
        tokenizer
          .encode(text, { add_special_tokens: false })
          .ids.filter((token: number) => token < endToken),
    },
  };
}

/** Distilled models may come with the heads of the model they were made from, whose layers they do not have. */
function readAlignmentHeads(
  config: Config,
  { alignment_heads }: GenerationConfig,
): AttentionHead[] {
  const selected = (alignment_heads ?? [])
    .map(([layer, head]) => ({ layer, head }))
    .filter(({ layer }) => layer < config.decoder_layers);
  return selected.length > 0 ? selected : defaultAlignmentHeads(config);
}

/** As in openai/whisper for models without selected heads. */
function defaultAlignmentHeads({
  decoder_layers: layers,
  decoder_attention_heads: heads,
}: Config): AttentionHead[] {
  const upperLayers = Array.from(
    { length: layers - (layers >> 1) },
    (_, index) => (layers >> 1) + index,
  );
  return upperLayers.flatMap((layer) =>
    Array.from({ length: heads }, (_, head) => ({ layer, head })),
  );
}
