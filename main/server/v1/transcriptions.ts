// POST /v1/audio/transcriptions and /v1/audio/translations: parses the form into a job and formats the channel's
// events. The channel validates the language.

import { AppError } from "../../contract/errors.ts";
import { durationWithoutHelpersSec, type MeteredRequest } from "../../usage/metering.ts";
import { separatorBefore, parseLanguage } from "../../contract/languages.ts";
import { transcriptionFields } from "../../contract/openai.ts";
import type { TranscriptEvent, TranscriptionFields } from "../../contract/openai.ts";
import { itemHeader } from "../../contract/studio-api.ts";
import type { Transcript, TranscriptionEvent, TranscriptionJob } from "../../contract/speech.ts";
import { toAppError } from "../http/error-response.ts";
import { parseViaHeader } from "../http/loop-guard.ts";
import { readUploadForm } from "../http/multipart.ts";
import type { UploadForm } from "../http/multipart.ts";
import { eventStreamResponse } from "../http/stream-response.ts";
import { toDoneEvent } from "../../transcript/transcript-formats.ts";
import { transcriptResponse } from "./transcript-response.ts";
import { parseFields } from "../../contract/validation.ts";
import { checkModel } from "./check-model.ts";
import type { MeteredContext } from "../route-context.ts";

/** For an upper estimate of the duration: highly compressed recordings have 32 kbit/s. */
const minBytesPerSec = 4000;

/** `task` depends on the path. */
export async function handleTranscription(
  request: Request,
  task: TranscriptionJob["task"],
  context: MeteredContext,
): Promise<Response> {
  const { metered } = context;
  const { tempDir, moreFormats, router } = context.deps;
  const form = await readUploadForm(request, { tempDir, moreFormats, limits: context.limits });
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  let isStreaming = false;
  try {
    const fields = parseTranscriptionFields(form);
    metered.model = fields.model;
    await checkModel(context.deps, fields.model, "speech-to-text");
    context.admit(fields.model, "speech-to-text");
    const job = {
      ...createTranscriptionJob(form, task, fields, request, metered),
      ...channelTracking(request, context),
    };
    metered.expectedSec = metered.receivedBytes / minBytesPerSec;
    const events = trackUsage(router.transcribe(job, metered.trace, signal), context);
    if (job.stream === true) {
      const streamEvents = toStreamEvents(events, task, form);
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
    if (!isStreaming) await form.recording.remove();
  }
}

/** The last value of each field counts; an empty one counts as absent. */
function parseTranscriptionFields({ fields }: UploadForm): TranscriptionFields {
  const rawFields: Record<string, unknown> = {};
  for (const [name, values] of fields) {
    const nonEmptyValues = values.filter((value) => value !== "");
    if (nonEmptyValues.length > 0)
      rawFields[name] = name === "timestamp_granularities" ? nonEmptyValues : nonEmptyValues.at(-1);
  }
  const parsed = parseFields(transcriptionFields, rawFields);
  if (parsed.timestamp_granularities.length > 0 && parsed.response_format !== "verbose_json") {
    throw new AppError("request.granularities", {}, { param: "timestamp_granularities" });
  }
  return parsed;
}

function createTranscriptionJob(
  form: UploadForm,
  task: TranscriptionJob["task"],
  fields: TranscriptionFields,
  request: Request,
  metered: MeteredRequest,
): TranscriptionJob {
  const language = fields.language === undefined ? undefined : parseLanguage(fields.language);
  if (fields.language !== undefined && language === undefined) {
    throw new AppError(
      "request.language",
      { language: fields.language.slice(0, 40) },
      { param: "language" },
    );
  }
  const textOnly = fields.response_format === "json" || fields.response_format === "text";
  return {
    task,
    model: fields.model,
    mediaPath: form.recording.path,
    ...(form.recording.bytes === undefined ? {} : { mediaBytes: form.recording.bytes }),
    temperature: fields.temperature,
    wordTimes: fields.timestamp_granularities.includes("word"),
    textOnly,
    stream: fields.stream && textOnly,
    extraFields: new Map(
      [...form.rawFields].filter(
        ([name]) => !Object.hasOwn(transcriptionFields.shape, name.replace(/\[\]$/, "")),
      ),
    ),
    via: parseViaHeader(request),
    callerId: metered.key,
    ...(language === undefined ? {} : { language }),
    ...(fields.prompt === undefined ? {} : { prompt: fields.prompt }),
  };
}

function channelTracking(
  { headers }: Request,
  { metered, deps: { onItemSent } }: MeteredContext,
): Pick<TranscriptionJob, "onChannelSelected"> {
  const itemId = headers.get(itemHeader);
  return metered.key !== "window" || itemId === null || onItemSent === undefined
    ? {}
    : { onChannelSelected: (channel) => onItemSent(itemId, channel) };
}

async function* trackUsage(
  events: AsyncIterable<TranscriptionEvent>,
  { metered }: MeteredContext,
): AsyncGenerator<TranscriptionEvent> {
  for await (const event of events) {
    // Audio processed so far counts even if the client disconnects before the end.
    if (event.type === "progress") metered.audioSec = event.processedSec;
    else if (event.type === "done") {
      metered.audioSec = durationWithoutHelpersSec(event.transcript);
      metered.helpers = event.transcript.helpers?.map(({ channel }) => channel) ?? [];
    }
    yield event;
  }
}

async function waitForTranscript(events: AsyncIterable<TranscriptionEvent>): Promise<Transcript> {
  for await (const event of events) if (event.type === "done") return event.transcript;
  throw new Error("the channel ended without a transcript");
}

/** One delta per segment, then the whole text, which equals the concatenated deltas. */
async function* toStreamEvents(
  events: AsyncIterable<TranscriptionEvent>,
  task: TranscriptionJob["task"],
  form: UploadForm,
): AsyncGenerator<TranscriptEvent> {
  try {
    let isFirst = true;
    for await (const event of events) {
      if (event.type === "segment") {
        const separator = isFirst
          ? ""
          : separatorBefore(task === "translate" ? "en" : event.segment.language);
        yield { type: "transcript.text.delta", delta: separator + event.segment.text.trim() };
        isFirst = false;
      } else if (event.type === "text") {
        yield { type: "transcript.text.delta", delta: event.text };
      } else if (event.type === "done") {
        yield toDoneEvent(event.transcript);
      }
    }
  } finally {
    await form.recording.remove();
  }
}
