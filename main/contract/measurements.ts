// Models measured on this machine: clips with their reference text, what each model made of them, and votes on voices.

import { z } from "zod";
import { sentMessage } from "./messages/sent-message.ts";

/** Texts are compared on the server's thread, in time and memory that grow with the product of their lengths. */
export const maxMeasuredCharacters = 15_000;

/** What a trial of a model on this machine, and its use, have shown. */
export const modelMeasurement = z.object({
  /** Seconds of audio per second of work. */
  speed: z.number().exactOptional(),
  /** Growth of a process that loaded the model. */
  memoryBytes: z.number().exactOptional(),
  /** Execution provider of onnxruntime, if one besides the CPU gave the same text in less time. */
  provider: z.string().exactOptional(),
  /** What came of trying providers besides the CPU. */
  providerReasons: z.array(sentMessage).exactOptional(),
  /** It ran, but gave a wrong result: the model may be broken, or not know a language that it names. */
  doubt: sentMessage.exactOptional(),
  /** Of the trial, Unix seconds; 0 if there was none, and the memory is known from use. */
  measuredAt: z.number(),
});
export type ModelMeasurement = z.infer<typeof modelMeasurement>;

const providerNames: Readonly<Record<string, string>> = {
  coreml: "CoreML",
  cpu: "CPU",
  cuda: "CUDA",
  dml: "DirectML",
  webgpu: "WebGPU",
};
/** @param provider as onnxruntime calls it */
export const providerName = (provider: string): string => providerNames[provider] ?? provider;

const modelName = z.string().min(1).max(300);

/** A clip that comes with the app. */
export const measuringClip = z.object({
  id: z.string(),
  /** A code of contract/languages.ts. */
  language: z.string(),
  durationSec: z.number(),
  text: z.string(),
});
export type MeasuringClip = z.infer<typeof measuringClip>;

/** What a model made of a clip whose reference text is known. */
export const newMeasurement = z.object({
  model: modelName,
  /** Name of the clip. A later measurement of the same model and clip counts instead of this one. */
  clip: z.string().min(1).max(300),
  /** A code of contract/languages.ts. */
  language: z.string().min(2).max(20),
  expected: z.string().trim().min(1).max(maxMeasuredCharacters),
  text: z.string().max(maxMeasuredCharacters),
  durationSec: z.number().positive().max(1e6).optional(),
  tookSec: z.number().positive().max(1e6),
});

/** Words, or characters in languages that do not separate words, are counted. */
const errorCounts = z.object({
  unit: z.enum(["words", "characters"]),
  /** Units of the reference text. */
  length: z.int(),
  substituted: z.int(),
  deleted: z.int(),
  inserted: z.int(),
});
export type ErrorCounts = z.infer<typeof errorCounts>;

export const measurement = errorCounts.extend({
  id: z.string(),
  model: z.string(),
  clip: z.string(),
  language: z.string(),
  /** Errors divided by `length`; above 1 if more was inserted than there is. */
  rate: z.number(),
  /** Seconds of audio per second of work. */
  speed: z.number().optional(),
  /** Of the local models behind the name. */
  memoryBytes: z.number().optional(),
  /** Unix seconds. */
  measuredAt: z.number(),
});
export type Measurement = z.infer<typeof measurement>;

/**
 * The recognized text in order, with missing words of the reference text. `expected`: the right words in place of
 * `text`.
 */
export const markedPart = z.object({
  kind: z.enum(["same", "substituted", "inserted", "deleted"]),
  text: z.string(),
  expected: z.string().optional(),
});
export type MarkedPart = z.infer<typeof markedPart>;

/** A voice of a model. */
const votedVoice = z.object({ model: modelName, voice: z.string().min(1).max(200) });
export type VotedVoice = z.infer<typeof votedVoice>;

/** Two voices heard without their names: the better one first, unless neither is. */
export const newVote = z.object({ first: votedVoice, second: votedVoice, isTie: z.boolean() });
export type NewVote = z.infer<typeof newVote>;

export const voiceTally = votedVoice.extend({ won: z.int(), lost: z.int(), tied: z.int() });
export type VoiceTally = z.infer<typeof voiceTally>;

/** Of all clips of a language. */
export const measuredErrorRate = z.object({
  rate: z.number(),
  unit: z.enum(["words", "characters"]),
  clips: z.int(),
});
export type MeasuredErrorRate = z.infer<typeof measuredErrorRate>;
