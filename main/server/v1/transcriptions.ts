// POST /v1/audio/transcriptions and /v1/audio/translations: parses the form into a job and formats the channel's
// events. The channel validates the language.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { maxKnownSpeakers, transcriptionFields } from "../../contract/openai.ts";
import type { TranscriptEvent, TranscriptionFields } from "../../contract/openai.ts";
import { itemHeader } from "../../contract/window-api.ts";
import type { Transcript, TranscriptionEvent, TranscriptionJob } from "../../contract/speech.ts";
import type { RequestOptions } from "../../channels/router.ts";
import type { KnownSpeaker } from "../../contract/speakers.ts";
import { removeMediaFile } from "../../storage/media-file.ts";
import { separatorBeforeSegment } from "../../contract/transcript.ts";
import { createTranscriptionJob } from "../../contract/transcription-job.ts";
import { toAppError } from "../http/error-response.ts";
import { parseViaHeader } from "../http/loop-guard.ts";
import { readUploadForm } from "../http/multipart.ts";
import type { UploadForm } from "../http/multipart.ts";
import { eventStreamResponse } from "../http/stream-response.ts";
import { toDiarizedSegment, toDoneEvent } from "../../transcript/transcript-formats.ts";
import { transcriptResponse } from "./transcript-response.ts";
import { parseFields } from "../../contract/validation.ts";
import { checkModel } from "./check-model.ts";
import type { MeteredContext } from "../route-context.ts";

/** `task` depends on the path. */
export async function handleTranscription(
  request: Request,
  task: TranscriptionJob["task"],
  context: MeteredContext,
): Promise<Response> {
  const { meter, onServing } = context;
  const { tempDir, moreFormats, router } = context.deps;
  const form = await readUploadForm(request, { tempDir, moreFormats, limits: context.limits });
  const knownSpeakers: KnownSpeaker[] = [];
  const removeUploads = async (): Promise<void> => {
    await form.recording.remove();
    await Promise.all(knownSpeakers.map(({ media }) => removeMediaFile(media)));
  };
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  let isStreaming = false;
  try {
    const fields = parseTranscriptionFields(form, task);
    meter.setRequest({ model: fields.model });
    await checkModel(context.deps, fields.model, "speech-to-text");
    context.admit(fields.model, "speech-to-text");
    knownSpeakers.push(...parseKnownSpeakers(fields, tempDir()));
    const job = {
      ...createUploadJob(form, task, fields, request),
      ...(knownSpeakers.length === 0 ? {} : { knownSpeakers }),
      ...(fields.vocabulary ? { vocabulary: context.deps.vocabulary?.() ?? [] } : {}),
    };
    const events = router.transcribe(job, {
      meter,
      signal,
      onServing,
      ...channelTracking(request, context),
    });
    if (job.stream === true) {
      const streamEvents = toStreamEvents(events, task, removeUploads);
      isStreaming = true;
      return await eventStreamResponse(streamEvents, {
        stop,
        keepAliveMs: context.keepAliveMs,
        toAppError: (error) => toAppError(error, context.requestId, context.log),
      });
    }
    const transcript = await waitForTranscript(events);
    return transcriptResponse(transcript, {
      task,
      format: fields.response_format,
      granularities: fields.timestamp_granularities,
    });
  } finally {
    if (!isStreaming) await removeUploads();
  }
}

/** Lists whose places belong together, so that an empty one counts. */
const pairedFields: ReadonlySet<string> = new Set([
  "known_speaker_names",
  "known_speaker_references",
]);

function parseKnownSpeakers(
  {
    response_format: format,
    known_speaker_names: names,
    known_speaker_references: references,
  }: TranscriptionFields,
  tempDir: string,
): KnownSpeaker[] {
  const known = pairKnownSpeakers(names, references);
  const isComplete = known.every(({ name, reference }) => name !== "" && reference !== "");
  if (
    !isComplete ||
    known.length > maxKnownSpeakers ||
    (known.length > 0 && format !== "diarized_json")
  )
    throw new AppError(
      "request.knownSpeakers",
      { max: maxKnownSpeakers },
      {
        param:
          references.length > names.length ? "known_speaker_references" : "known_speaker_names",
      },
    );
  return known.map(({ name, reference }) => {
    const [, base64] = /^data:[^,]{0,200};base64,(.+)$/s.exec(reference) ?? [];
    if (base64 === undefined)
      throw new AppError("request.knownSpeakerAudio", {}, { param: "known_speaker_references" });
    return {
      name,
      media: {
        mediaPath: join(tempDir, `known-speaker-${randomUUID()}`),
        mediaBytes: Buffer.from(base64, "base64"),
      },
    };
  });
}

/** By their places, so that nobody gets the name of another one; places where both are empty do not count. */
const pairKnownSpeakers = (names: readonly string[], references: readonly string[]) =>
  Array.from({ length: Math.max(names.length, references.length) }, (_, index) => ({
    name: names[index]?.trim() ?? "",
    reference: references[index]?.trim() ?? "",
  })).filter(({ name, reference }) => name !== "" || reference !== "");

/** The last value of each field counts; an empty one counts as omitted. */
function parseTranscriptionFields(
  { fields }: UploadForm,
  task: TranscriptionJob["task"],
): TranscriptionFields {
  const rawFields: Record<string, unknown> = {};
  for (const [name, values] of fields) {
    const nonEmptyValues = values.filter((value) => value !== "");
    if (pairedFields.has(name)) rawFields[name] = values;
    else if (nonEmptyValues.length > 0)
      rawFields[name] = name === "timestamp_granularities" ? nonEmptyValues : nonEmptyValues.at(-1);
  }
  const parsed = parseFields(transcriptionFields, rawFields);
  if (parsed.timestamp_granularities.length > 0 && parsed.response_format !== "verbose_json") {
    throw new AppError("request.granularities", {}, { param: "timestamp_granularities" });
  }
  if (parsed.diarize && parsed.response_format !== "verbose_json")
    throw new AppError("request.diarize", {}, { param: "diarize" });
  if (task === "translate" && parsed.response_format === "diarized_json")
    throw new AppError("request.diarizedTranslation", {}, { param: "response_format" });
  return parsed;
}

function createUploadJob(
  form: UploadForm,
  task: TranscriptionJob["task"],
  fields: TranscriptionFields,
  request: Request,
): TranscriptionJob {
  const { model, language, prompt, temperature } = fields;
  const textOnly = fields.response_format === "json" || fields.response_format === "text";
  const isDiarized = fields.response_format === "diarized_json";
  const wordTimes = fields.timestamp_granularities.includes("word");
  return createTranscriptionJob({
    task,
    model,
    language,
    prompt,
    temperature,
    mediaPath: form.recording.path,
    ...(form.recording.bytes === undefined ? {} : { mediaBytes: form.recording.bytes }),
    // The times of words tell speakers apart best, but text without them has speakers, too.
    wordTimes: wordTimes || isDiarized || fields.diarize,
    ...(isDiarized || fields.diarize ? { speakers: {}, isBestEffort: !wordTimes } : {}),
    textOnly,
    stream: fields.stream && (textOnly || isDiarized),
    extraFields: new Map(
      [...form.rawFields].filter(
        ([name]) => !Object.hasOwn(transcriptionFields.shape, name.replace(/\[\]$/, "")),
      ),
    ),
    via: parseViaHeader(request),
  });
}

/** The window may use /v1 for an item of the library, which lists the channels that received its audio. */
function channelTracking(
  { headers }: Request,
  { meter, deps: { onItemSent } }: MeteredContext,
): Pick<RequestOptions, "onSentTo"> {
  const itemId = headers.get(itemHeader);
  return meter.caller !== "window" || itemId === null || onItemSent === undefined
    ? {}
    : { onSentTo: (channel) => onItemSent(itemId, channel) };
}

async function waitForTranscript(events: AsyncIterable<TranscriptionEvent>): Promise<Transcript> {
  for await (const event of events) if (event.type === "done") return event.transcript;
  throw new Error("the channel ended without a transcript");
}

/**
 * One delta per segment, or the segment itself if it has a speaker; then the whole text, which equals the concatenated
 * deltas.
 */
async function* toStreamEvents(
  events: AsyncIterable<TranscriptionEvent>,
  task: TranscriptionJob["task"],
  removeUploads: () => Promise<void>,
): AsyncGenerator<TranscriptEvent> {
  try {
    let isFirst = true;
    let spokenCount = 0;
    for await (const event of events) {
      if (event.type === "segment" && event.segment.speaker !== undefined) {
        yield toDiarizedSegment(event.segment, spokenCount++);
      } else if (event.type === "segment") {
        const separator = isFirst ? "" : separatorBeforeSegment(event.segment, task);
        yield { type: "transcript.text.delta", delta: separator + event.segment.text.trim() };
        isFirst = false;
      } else if (event.type === "text") {
        yield { type: "transcript.text.delta", delta: event.text };
      } else if (event.type === "done") {
        yield toDoneEvent(event.transcript);
      }
    }
  } finally {
    await removeUploads();
  }
}
