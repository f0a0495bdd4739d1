// /app/command-line: what the command line needs besides the routes of the window, from the app that runs on its data
// folder or from one in its own process. gateway.ts rejects all other callers.

import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { basename, join, parse } from "node:path";
import type { Registry } from "../../channels/registry.ts";
import {
  commandLineStreams,
  type StreamEvent,
  type StreamName,
  type StreamRequest,
} from "../../contract/command-line-streams.ts";
import { importedDocument, textOfDocument } from "../../contract/documents.ts";
import { createTranscriptionJob } from "../../contract/transcription-job.ts";
import { AppError } from "../../contract/errors.ts";
import type {
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../contract/speech.ts";
import { parseFields } from "../../contract/validation.ts";
import type { DocumentImport } from "../../jobs/document-import/document-import.ts";
import type { LibraryImporter } from "../../library/archive/library-importer.ts";
import { toAppError } from "../http/error-response.ts";
import { readJsonObject } from "../http/request-body.ts";
import { eventStreamResponse } from "../http/stream-response.ts";
import { toSegmentTable } from "../../transcript/transcript-csv.ts";
import { toRttm } from "../../transcript/transcript-formats.ts";
import { transcriptResponse } from "../v1/transcript-response.ts";
import { maxBodyBytes } from "./app-routes.ts";
import type { RawRoute, AppApiRoutes } from "./handlers.ts";

export type CommandLineDeps = {
  registry: Pick<Registry, "models" | "voices">;
  importer: Pick<LibraryImporter, "run">;
  documentImport: DocumentImport;
  /** An existing folder for what documents become. */
  tempDir: () => string;
  /** Resolves when the models of the channels that may serve `model` are known, or not to be had for now. */
  ready(model?: string): Promise<void>;
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  synthesize(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk>;
  /** Whether this machine is tried first. @throws AppError if no channel has such a model */
  speaksLocally(model: string): boolean;
  /** Downloads a model and yields the progress until it is installed. */
  pull(request: StreamRequest<"pull">, signal: AbortSignal): AsyncGenerator<StreamEvent<"pull">>;
  /** Imports a model and yields the progress until it is installed. */
  importModel(
    request: StreamRequest<"importModel">,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent<"importModel">>;
  phonemes(lines: readonly string[], signal: AbortSignal): Promise<string[]>;
};

export function commandLineRoutes(deps: CommandLineDeps): AppApiRoutes {
  const { registry, importer, ready, phonemes } = deps;
  return {
    handlers: {
      async listModelsAndVoices({ isComplete }) {
        if (isComplete) await ready();
        return {
          models: [...registry.models()],
          voices: [...registry.voices()],
        };
      },
      readPhonemes: async ({ lines }, _, signal) => ({ lines: await phonemes(lines, signal) }),
      readDocumentText: async ({ path }, _, signal) => ({
        text: await readDocumentText(deps, path, signal),
      }),
      importArchive: ({ path }, _, signal) => importer.run(path, signal),
    },
    rawRoutes: [
      streamRoute("transcribe", (request, signal) => transcriptionUpdates(deps, request, signal)),
      streamRoute("pull", deps.pull),
      streamRoute("importModel", deps.importModel),
      streamRoute("speak", (request, signal) => speechUpdates(deps, request, signal)),
    ],
  };
}

/** Headings without their marks, and only the chapters that are text. */
async function readDocumentText(
  { documentImport, tempDir }: CommandLineDeps,
  inputPath: string,
  signal: AbortSignal,
): Promise<string> {
  const outputPath = join(tempDir(), `document-${randomUUID()}.json`);
  try {
    await documentImport.read({ name: basename(inputPath), inputPath, outputPath }, signal);
    const document = importedDocument.parse(JSON.parse(await readFile(outputPath, "utf8")));
    return textOfDocument(document);
  } finally {
    await rm(outputPath, { force: true });
  }
}

const streamRoute = <Name extends StreamName>(
  name: Name,
  run: (request: StreamRequest<Name>, signal: AbortSignal) => AsyncGenerator<StreamEvent<Name>>,
): RawRoute => ({
  method: "POST",
  path: commandLineStreams[name].path,
  async respond(request, _, { limits, keepAliveMs, requestId, log }) {
    const fields = parseFields(
      commandLineStreams[name].request,
      await readJsonObject(request, maxBodyBytes, limits),
    ) as StreamRequest<Name>;
    const stop = new AbortController();
    return eventStreamResponse(run(fields, AbortSignal.any([request.signal, stop.signal])), {
      stop,
      keepAliveMs,
      toAppError(error) {
        if (error instanceof AppError) return error;
        // Nobody reads the answer.
        if (request.signal.aborted) throw error;
        return toAppError(error, requestId, log);
      },
    });
  },
});

async function* transcriptionUpdates(
  { ready, transcribe }: CommandLineDeps,
  { path, format, ...fields }: StreamRequest<"transcribe">,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<"transcribe">> {
  await ready(fields.model);
  const job = createTranscriptionJob({
    ...fields,
    // The times of words tell speakers apart best, but text without them has speakers, too.
    ...(fields.speakers === undefined ? {} : { wordTimes: true, isBestEffort: !fields.wordTimes }),
    mediaPath: path,
  });
  for await (const event of transcribe(job, signal)) {
    if (event.type === "progress") {
      const { processedSec, durationSec } = event;
      yield {
        type: "progress",
        processedSec,
        ...(durationSec === undefined ? {} : { durationSec }),
      };
    } else if (event.type === "failed") {
      const { startSec, endSec } = event.range;
      yield { type: "failed", startSec, endSec };
    } else if (event.type === "done") {
      const { transcript } = event;
      const options = { task: job.task, granularities: granularities(fields) };
      const text =
        format === "rttm"
          ? toRttm(transcript, parse(path).name)
          : format === "csv"
            ? toSegmentTable(transcript)
            : await transcriptResponse(transcript, { ...options, format }).text();
      yield { type: "done", text, isPartial: transcript.failed.length > 0 };
    }
  }
}

const granularities = ({
  wordTimes,
}: Pick<StreamRequest<"transcribe">, "wordTimes">): ("word" | "segment")[] =>
  wordTimes ? ["word", "segment"] : ["segment"];

async function* speechUpdates(
  { ready, synthesize, speaksLocally, registry }: CommandLineDeps,
  { voiceAlias, ...request }: StreamRequest<"speak">,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<"speak">> {
  await ready(request.model);
  // A provider gets the requested voice, which this machine does not know.
  const isAliasUsed =
    voiceAlias !== undefined &&
    !registry.voices().some(({ id }) => id === request.voice) &&
    speaksLocally(request.model);
  const job = isAliasUsed ? { ...request, voice: voiceAlias } : request;
  for await (const { bytes, casting, corrections, audioSec, progress } of synthesize(job, signal)) {
    const { takenOverBy = [], warning } = casting ?? {};
    yield {
      bytes: toBase64(bytes),
      ...(takenOverBy.length === 0 ? {} : { takenOverBy: [...takenOverBy] }),
      ...(warning === undefined ? {} : { warning: warning.message }),
      ...(corrections === undefined
        ? {}
        : { corrections: corrections.map(({ at, bytes: to }) => ({ at, bytes: toBase64(to) })) }),
      ...(audioSec === undefined ? {} : { audioSec }),
      ...(progress === undefined ? {} : { progress }),
    };
  }
}

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
