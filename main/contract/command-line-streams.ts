// Streams of /app/command-line, see command-line-api.ts.

import { z } from "zod";
import { commandLinePath } from "./command-line-api.ts";
import { importedModel, modelDownload, repositoryDownload } from "./model-downloads.ts";
import { transcriptFormats } from "./openai.ts";
import { speakerCount } from "./speakers.ts";
import { audioFormats } from "./speech.ts";

export const commandLineFormats = [...transcriptFormats, "csv", "rttm"] as const;
export type CommandLineFormat = (typeof commandLineFormats)[number];

const transcriptionRequest = z.object({
  path: z.string().min(1),
  task: z.enum(["transcribe", "translate"]),
  model: z.string(),
  language: z.string().optional(),
  prompt: z.string().optional(),
  temperature: z.number().min(0).max(1),
  wordTimes: z.boolean(),
  format: z.enum(commandLineFormats),
  /** Tell speakers apart; how many there are, if known. */
  speakers: speakerCount.exactOptional(),
});

/** `done` comes last. */
const transcriptionUpdate = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("progress"),
    processedSec: z.number(),
    durationSec: z.number().optional(),
  }),
  /** A range that could not be transcribed. */
  z.object({ type: z.literal("failed"), startSec: z.number(), endSec: z.number() }),
  /** The transcript in the requested format. */
  z.object({ type: z.literal("done"), text: z.string(), isPartial: z.boolean() }),
]);

const speechRequest = z.object({
  model: z.string(),
  voice: z.string(),
  /** What the command's settings call `voice`, if that is no voice of this machine. */
  voiceAlias: z.string().optional(),
  speed: z.number().min(0.25).max(4),
  format: z.enum(audioFormats),
  text: z.string(),
});

/** `SpeechChunk`, with bytes in base64 and the texts of its `casting`. */
const speechUpdate = z.object({
  bytes: z.string(),
  takenOverBy: z.array(z.string()).optional(),
  warning: z.string().optional(),
  corrections: z.array(z.object({ at: z.number(), bytes: z.string() })).optional(),
  audioSec: z.number().optional(),
  progress: z.number().optional(),
});

/** A model of the catalog, or a repository of the hub. */
const pullRequest = repositoryDownload.partial({ repository: true }).extend({
  id: z.string().optional(),
});

/** `done` comes last. */
const modelImportUpdate = z.discriminatedUnion("type", [
  /** 0 to 1. */
  z.object({ type: z.literal("progress"), fraction: z.number() }),
  z.object({ type: z.literal("done"), ...importedModel.shape }),
]);

/** POST routes whose responses are server-sent events: name → path, request, event. */
export const commandLineStreams = {
  transcribe: {
    path: `${commandLinePath}transcriptions`,
    request: transcriptionRequest,
    event: transcriptionUpdate,
  },
  /** Pauses the download if the client goes away. */
  pull: { path: `${commandLinePath}model-pull`, request: pullRequest, event: modelDownload },
  /** A folder or an archive. */
  importModel: {
    path: `${commandLinePath}model-import`,
    request: z.object({ path: z.string().min(1) }),
    event: modelImportUpdate,
  },
  speak: { path: `${commandLinePath}speech`, request: speechRequest, event: speechUpdate },
} as const;

export type StreamName = keyof typeof commandLineStreams;
export type StreamRequest<Name extends StreamName> = z.output<
  (typeof commandLineStreams)[Name]["request"]
>;
export type StreamEvent<Name extends StreamName> = z.output<
  (typeof commandLineStreams)[Name]["event"]
>;
