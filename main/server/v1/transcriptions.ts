// POST /v1/audio/transcriptions and /v1/audio/translations: parses the form into a job and formats the channel's
// events. The channel validates the language.

import { AppError } from "../../contract/errors.ts";
import { transcriptionFields } from "../../contract/openai.ts";
import type { TranscriptEvent, TranscriptionFields } from "../../contract/openai.ts";
import { itemHeader } from "../../contract/window-api.ts";
import type { Transcript, TranscriptionEvent, TranscriptionJob } from "../../contract/speech.ts";
import type { RequestOptions } from "../../channels/router.ts";
import { separatorBeforeSegment } from "../../contract/transcript.ts";
import { createTranscriptionJob } from "../../contract/transcription-job.ts";
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

/** `task` depends on the path. */
export async function handleTranscription(
  request: Request,
  task: TranscriptionJob["task"],
  context: MeteredContext,
): Promise<Response> {
  const { meter, onServing } = context;
  const { tempDir, moreFormats, router } = context.deps;
  const form = await readUploadForm(request, { tempDir, moreFormats, limits: context.limits });
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  let isStreaming = false;
  try {
    const fields = parseTranscriptionFields(form);
    meter.setRequest({ model: fields.model });
    await checkModel(context.deps, fields.model, "speech-to-text");
    context.admit(fields.model, "speech-to-text");
    const job = createUploadJob(form, task, fields, request);
    const events = router.transcribe(job, {
      meter,
      signal,
      onServing,
      ...channelTracking(request, context),
    });
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

function createUploadJob(
  form: UploadForm,
  task: TranscriptionJob["task"],
  fields: TranscriptionFields,
  request: Request,
): TranscriptionJob {
  const { model, language, prompt, temperature } = fields;
  const textOnly = fields.response_format === "json" || fields.response_format === "text";
  return createTranscriptionJob({
    task,
    model,
    language,
    prompt,
    temperature,
    mediaPath: form.recording.path,
    ...(form.recording.bytes === undefined ? {} : { mediaBytes: form.recording.bytes }),
    wordTimes: fields.timestamp_granularities.includes("word"),
    textOnly,
    stream: fields.stream && textOnly,
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
): Pick<RequestOptions, "onChannelSelected"> {
  const itemId = headers.get(itemHeader);
  return meter.caller !== "window" || itemId === null || onItemSent === undefined
    ? {}
    : { onChannelSelected: (channel) => onItemSent(itemId, channel) };
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
    await form.recording.remove();
  }
}
