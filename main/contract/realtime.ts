// OpenAI's realtime transcription sessions over WebSocket, as far as they are served: what clients send, and how
// events describe the session.

import { z } from "zod";

export const realtimePath = "/v1/realtime";
/** Before a key among the subprotocols of a WebSocket, since browsers cannot set its headers. */
export const keyProtocolPrefix = "openai-insecure-api-key.";
/** An extension: deltas also carry the words that may still change, as `unsettled`. */
export const unsettledField = "item.input_audio_transcription.unsettled";
/** An extension: completed transcripts also tell their language (ISO 639-1), as `language`. */
export const languageField = "item.input_audio_transcription.language";

const audioFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("audio/pcm"), rate: z.literal([24_000, 16_000]).default(24_000) }),
  z.object({ type: z.literal("audio/pcmu") }),
  z.object({ type: z.literal("audio/pcma") }),
]);
export type RealtimeAudioFormat = z.infer<typeof audioFormat>;

const turnDetection = z.object({
  type: z.literal("server_vad"),
  threshold: z.number().min(0.05).max(0.95).default(0.5),
  prefix_padding_ms: z.number().min(0).max(2000).default(300),
  silence_duration_ms: z.number().min(200).max(10_000).default(500),
});

const transcription = z.object({
  model: z.string().min(1).max(300),
  language: z.string().max(40).optional(),
  prompt: z.string().max(10_000).optional(),
});

const noiseReduction = z.object({ type: z.enum(["near_field", "far_field"]) });

export type RealtimeConfig = {
  format: RealtimeAudioFormat;
  transcription: z.infer<typeof transcription>;
  noiseReduction: z.infer<typeof noiseReduction> | null;
  /** null: the client commits. */
  turnDetection: z.infer<typeof turnDetection> | null;
  include: readonly string[];
};

const include = z.array(z.string().max(100)).max(20);

/** What a session is given; omitted fields stay as they are. */
export const sessionUpdate = z.object({
  type: z.literal("transcription").optional(),
  audio: z
    .object({
      input: z
        .object({
          format: audioFormat.optional(),
          transcription: transcription.partial().nullish(),
          noise_reduction: noiseReduction.nullish(),
          turn_detection: turnDetection.nullish(),
        })
        .optional(),
    })
    .optional(),
  include: include.nullish(),
});

/** The same, as the beta had it. */
export const betaSessionUpdate = z.object({
  input_audio_format: z.enum(["pcm16", "g711_ulaw", "g711_alaw"]).optional(),
  input_audio_transcription: transcription.partial().nullish(),
  input_audio_noise_reduction: noiseReduction.nullish(),
  turn_detection: turnDetection.nullish(),
  include: include.nullish(),
});

/** 15 MB of base64, as OpenAI allows. */
const maxAppendCharacters = 20_000_000;
const eventId = z.string().max(512).optional();
export const clientEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("session.update"), event_id: eventId, session: z.looseObject({}) }),
  z.object({
    type: z.literal("transcription_session.update"),
    event_id: eventId,
    session: z.looseObject({}),
  }),
  z.object({
    type: z.literal("input_audio_buffer.append"),
    event_id: eventId,
    audio: z.string().max(maxAppendCharacters),
  }),
  z.object({ type: z.literal("input_audio_buffer.commit"), event_id: eventId }),
  z.object({ type: z.literal("input_audio_buffer.clear"), event_id: eventId }),
]);
export type ClientEvent = z.infer<typeof clientEvent>;

export const clientSecretRequest = z.object({
  expires_after: z
    .object({
      anchor: z.literal("created_at").default("created_at"),
      seconds: z.int().min(10).max(7200).default(600),
    })
    .optional(),
  session: z.looseObject({}).optional(),
});

export const clientSecretResponse = z.object({
  value: z.string(),
  expires_at: z.int(),
  session: z.looseObject({}),
});
