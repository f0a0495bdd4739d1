// The shapes of OpenAI's /v1: the only source of validation, /openapi.json and types. An `error` text here is the end
// of a sentence that contract/validation.ts begins with the field's name.

import { z } from "zod";

import { parseDecimalField } from "./decimal.ts";
import { fieldFault } from "./field-fault.ts";
import { languageNames, parseLanguage } from "./languages.ts";
import { audioFormats, voiceInfo } from "./speech.ts";

/** 25 MiB for the file part alone; a file of exactly this size is accepted. */
export const maxUploadBytes = 26_214_400;
/** As many as OpenAI takes. */
export const maxKnownSpeakers = 4;
/** Unicode code points, not UTF-16 units. */
export const maxInputCharacters = 4096;

export const transcriptFormats = [
  "json",
  "text",
  "srt",
  "verbose_json",
  "vtt",
  "diarized_json",
] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** The voices whose names clients expect of every text-to-speech model. */
export const openAiVoices = ["alloy", "echo", "fable", "nova", "onyx", "shimmer"] as const;

const temperatureFault = fieldFault("fault.outOfRange", { min: 0, max: 1 });
const speedFault = fieldFault("fault.outOfRange", { min: 0.25, max: 4 });

const quoteNames = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");
/** Counts code points without building an array. */
const countCodePoints = (text: string) => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

const name = (description: string) =>
  z
    .string({ error: fieldFault("fault.notText") })
    .min(1, { error: fieldFault("fault.empty") })
    .meta({ description });

/** Text fields of both upload endpoints. Values are strings; empty ones were already dropped. */
export const transcriptionFields = z.object({
  model: name("A speech-to-text model, for example `whisper-1`."),
  prompt: z
    .string()
    .optional()
    .meta({ description: "Text that precedes the recording, or names and spellings to expect." }),
  vocabulary: z
    .stringbool({ error: fieldFault("fault.neither", { first: "true", second: "false" }) })
    .default(false)
    .meta({
      type: "boolean",
      description:
        "Expect the names and terms of the app's vocabulary, and write them as they are there.",
    }),
  response_format: z
    .enum(transcriptFormats, {
      error: fieldFault("fault.notListed", { values: quoteNames(transcriptFormats) }),
    })
    .default("json")
    .meta({
      description:
        "Format of the response. `diarized_json` says who speaks, with any model; for transcriptions only.",
    }),
  diarize: z
    .stringbool({ error: fieldFault("fault.neither", { first: "true", second: "false" }) })
    .default(false)
    .meta({
      type: "boolean",
      description: "Name the speaker of each segment and word; for `verbose_json`.",
    }),
  temperature: z
    .preprocess(
      parseDecimalField,
      z
        .number({ error: temperatureFault })
        .min(0, { error: temperatureFault })
        .max(1, { error: temperatureFault }),
    )
    .default(0)
    .meta({ description: "Sampling temperature. 0 always picks the most likely words." }),
  language: z.string().optional().meta({
    description: "ISO 639-1 code or English name of the spoken language. Detected if omitted.",
  }),
  timestamp_granularities: z
    .array(
      z.enum(["word", "segment"], {
        error: fieldFault("fault.neither", { first: "word", second: "segment" }),
      }),
    )
    .default([])
    .meta({
      description:
        "Timestamps to include, with `verbose_json` only. Sent as `timestamp_granularities[]`, once per value.",
    }),
  known_speaker_names: z.array(z.string()).default([]).meta({
    description:
      "Names for up to four speakers, with `diarized_json` only. Sent as `known_speaker_names[]`, once per name.",
  }),
  known_speaker_references: z
    .array(z.string())
    .default([])
    .meta({
      description:
        "A recording of 2 to 10 s of each of them alone, in the same order, as data URLs in base64. Sent as " +
        "`known_speaker_references[]`.",
    }),
  stream: z
    .stringbool({ error: fieldFault("fault.neither", { first: "true", second: "false" }) })
    .default(false)
    .meta({
      type: "boolean",
      description:
        "Server-sent events, segment by segment; for `json`, `text` and `diarized_json`, where they come at the end.",
    }),
});
export type TranscriptionFields = z.infer<typeof transcriptionFields>;

const uploadFile = z.file().meta({
  description: `The recording; its format is detected from its content. At most ${maxUploadBytes} bytes (25 MB).`,
});
export const transcriptionRequest = z.object({ file: uploadFile, ...transcriptionFields.shape });

/** Whose voices Kokoro's own programs name by a letter. */
const kokoroLanguages: Readonly<Record<string, string>> = {
  a: "en",
  b: "en",
  e: "es",
  f: "fr",
  h: "hi",
  i: "it",
  j: "ja",
  p: "pt",
  z: "zh",
};

/** The code; empty: that of each paragraph is found. */
const spokenLanguage = z
  .string({ error: fieldFault("fault.notText") })
  .nullish()
  .transform((language) => (language == null || /^auto$/i.test(language) ? "" : language))
  .transform((language) => kokoroLanguages[language] ?? parseLanguage(language) ?? language)
  .refine((code) => code === "" || languageNames.has(code), {
    error: fieldFault("fault.noLanguage"),
  });

export const speechRequest = z.object({
  model: name("A text-to-speech model: `tts-1` or `tts-1-hd`."),
  input: z
    .string({ error: fieldFault("fault.notText") })
    .refine((text) => text.trim() !== "", {
      error: fieldFault("fault.silent"),
      params: { key: "nothing_to_say" },
    })
    .refine((text) => countCodePoints(text) <= maxInputCharacters, {
      error: fieldFault("fault.tooManyCharacters", { max: maxInputCharacters }),
      params: { key: "string_too_long" },
    })
    .meta({ description: "The text to speak.", maxLength: maxInputCharacters }),
  voice: z
    .union([z.string(), z.object({ id: z.string() }).transform((voice) => voice.id)], {
      error: fieldFault("fault.noVoice"),
    })
    .meta({
      description:
        'A voice listed by `/v1/audio/voices`, `{"id": …}`, or a blend of Kokoro\'s voices with their weights: ' +
        "`af_bella(2)+af_sky(1)`.",
    }),
  response_format: z
    .enum(audioFormats, {
      error: fieldFault("fault.notListed", { values: quoteNames(audioFormats) }),
    })
    .nullish()
    .transform((format) => format ?? "mp3")
    .meta({
      description:
        "Audio format, 24 kHz mono. `pcm` is signed 16-bit little-endian without a header. Default `mp3`.",
    }),
  speed: z
    .number({ error: speedFault })
    .min(0.25, { error: speedFault })
    .max(4, { error: speedFault })
    .nullish()
    .transform((speed) => speed ?? 1)
    .meta({ description: "Speaking rate; 1, the default, is the voice's own pace." }),
  language: spokenLanguage.meta({
    description:
      "ISO 639-1 code or English name of the text's language. " +
      "Without it, or with `auto`, that of each paragraph is found.",
  }),
  lang_code: spokenLanguage.meta({
    description: "The same, as other programs call it; also Kokoro's letters, such as `e`.",
  }),
  stream_format: z
    .enum(["audio", "sse"], {
      error: fieldFault("fault.neither", { first: "audio", second: "sse" }),
    })
    .nullish()
    .transform((format) => format ?? "audio")
    .meta({
      description: "`sse` sends the audio as base64 in server-sent events. Default `audio`.",
    }),
});
export type SpeechRequest = z.infer<typeof speechRequest>;

/** Lists the Hearsay gateways that a request passed. A gateway that finds its own name there is in a loop. */
export const viaHeader = "x-hearsay-via";
/** Response to another gateway's request for models: names of this gateway and of those behind its channels. */
export const upstreamGatewaysHeader = "x-hearsay-behind";
/** Name of the channel that served the request. */
export const channelHeader = "x-hearsay-channel";
/** Ids of the voices that took over, because the requested one does not know the language of the text. */
export const voiceHeader = "x-hearsay-voice";
/** What is less than was asked for. */
export const warningHeader = "x-hearsay-warning";

const usage = z.object({ type: z.literal("duration"), seconds: z.number() });

/** Marks that some ranges with speech failed; omitted if none did. */
const partial = {
  partial: z.literal(true).optional(),
  failed: z.array(z.object({ start: z.number(), end: z.number(), message: z.string() })).optional(),
};

export const transcriptionResponse = z.object({ text: z.string(), usage, ...partial });
export type TranscriptionResponse = z.infer<typeof transcriptionResponse>;

const speaker = z.string().meta({ description: "`A`, `B` and so on, as they appear." });

export const segmentObject = z.object({
  id: z.int(),
  seek: z.int(),
  start: z.number(),
  end: z.number(),
  text: z.string(),
  tokens: z.array(z.int()),
  temperature: z.number(),
  avg_logprob: z.number(),
  compression_ratio: z.number(),
  no_speech_prob: z.number(),
  speaker: speaker.optional(),
});
export type SegmentObject = z.infer<typeof segmentObject>;

export const verboseTranscriptionResponse = z.object({
  task: z.enum(["transcribe", "translate"]),
  language: z.string().meta({ description: "The language's lower-case English name." }),
  duration: z.number().meta({ description: "Seconds." }),
  text: z.string(),
  segments: z.array(segmentObject).optional(),
  words: z
    .array(
      z.object({
        word: z.string(),
        start: z.number(),
        end: z.number(),
        speaker: speaker.optional(),
      }),
    )
    .optional(),
  usage,
  ...partial,
});
export type VerboseTranscriptionResponse = z.infer<typeof verboseTranscriptionResponse>;

const diarizedSegment = z.object({
  type: z.literal("transcript.text.segment"),
  id: z.string(),
  start: z.number(),
  end: z.number(),
  text: z.string(),
  speaker,
});
export type DiarizedSegment = z.infer<typeof diarizedSegment>;

export const diarizedTranscriptionResponse = z.object({
  task: z.literal("transcribe"),
  duration: z.number().meta({ description: "Seconds." }),
  text: z.string(),
  segments: z.array(diarizedSegment),
  usage,
  ...partial,
});
export type DiarizedTranscriptionResponse = z.infer<typeof diarizedTranscriptionResponse>;

export const transcriptEvent = z.discriminatedUnion("type", [
  diarizedSegment,
  z.object({ type: z.literal("transcript.text.delta"), delta: z.string() }),
  z.object({ type: z.literal("transcript.text.done"), text: z.string(), usage, ...partial }),
]);
export type TranscriptEvent = z.infer<typeof transcriptEvent>;

export const speechEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("speech.audio.delta"),
    audio: z.string().meta({ contentEncoding: "base64" }),
  }),
  z.object({
    type: z.literal("speech.audio.done"),
    usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }),
  }),
]);
export type SpeechEvent = z.infer<typeof speechEvent>;

export const modelObject = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int().meta({ description: "Unix seconds." }),
  owned_by: z.string(),
});

export const modelList = z.object({ object: z.literal("list"), data: z.array(modelObject) });
export type ModelList = z.infer<typeof modelList>;

export const voiceList = z.object({ voices: z.array(voiceInfo) });
export type VoiceList = z.infer<typeof voiceList>;

export const errorResponse = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable().meta({ description: "The request field at fault." }),
    code: z.string().optional().meta({ description: "Omitted if the type is specific enough." }),
  }),
});
export type ErrorResponse = z.infer<typeof errorResponse>;
