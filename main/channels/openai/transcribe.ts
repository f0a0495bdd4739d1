// Transcribes a file at a provider: the job as a form, the response (JSON or an event stream) as our events.

import { z } from "zod";
import type { OnSending } from "../../contract/channel.ts";
import {
  type Transcript,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../../contract/speech.ts";
import { joinPrompt } from "../../contract/vocabulary.ts";
import type { UpstreamClient } from "./client.ts";
import type { UpstreamResponse } from "./response.ts";
import { parseEventStream } from "./event-stream.ts";
import { readJson } from "./json-body.ts";
import { parseTranscript } from "./transcript.ts";
import { uploadForm } from "./upload-form.ts";
import type { FormField } from "./upload-form.ts";

/** A day of speech with word times is about 25 MB; anything larger is no transcript. */
const maxTranscriptBytes = 32 * 2 ** 20;

/** `model` is the provider's own id. */
export async function* transcribeUpstream(
  client: UpstreamClient,
  model: string,
  job: TranscriptionJob,
  signal: AbortSignal,
  onSending?: OnSending,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const body = await uploadForm(buildFormFields(model, job), job.mediaBytes ?? job.mediaPath);
  const path = job.task === "translate" ? "/audio/translations" : "/audio/transcriptions";
  const response = await client.request({ path, body, via: job.via, onSending }, signal);
  try {
    yield* response.contentType === "text/event-stream"
      ? readEventStream(response)
      : readJsonTranscript(response, job);
  } finally {
    response.close();
  }
}

function buildFormFields(model: string, job: TranscriptionJob): FormField[] {
  const fields: FormField[] = [["model", model]];
  // A translation is always into English, and providers reject the field.
  if (job.language !== undefined && job.task === "transcribe")
    fields.push(["language", job.language]);
  const prompt = joinPrompt(job.prompt, job.vocabulary);
  if (prompt !== undefined) fields.push(["prompt", prompt]);
  if (job.temperature !== 0) fields.push(["temperature", String(job.temperature)]);
  fields.push(["response_format", job.textOnly === true ? "json" : "verbose_json"]);
  if (job.wordTimes)
    for (const times of ["word", "segment"]) fields.push(["timestamp_granularities[]", times]);
  // Streamed text has no times.
  if (job.stream === true && job.textOnly === true) fields.push(["stream", "true"]);
  const ownFields = new Set(fields.map(([name]) => name.replace("[]", "")));
  for (const [name, values] of job.extraFields ?? []) {
    if (ownFields.has(name) || name === "file") continue;
    const fieldName = values.length > 1 || listFields.includes(name) ? `${name}[]` : name;
    for (const value of values) fields.push([fieldName, value]);
  }
  return fields;
}

/** OpenAI fields that are lists even with one value. */
const listFields: readonly string[] = [
  "include",
  "languages",
  "keywords",
  "known_speaker_names",
  "known_speaker_references",
];

async function* readJsonTranscript(
  response: UpstreamResponse,
  job: TranscriptionJob,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const json = await readJson(response, maxTranscriptBytes);
  const transcript = parseTranscript(json);
  if (transcript === undefined) {
    // whisper.cpp's server reports errors with status 200.
    if (z.object({ error: z.unknown() }).safeParse(json).success)
      throw response.errors.fromBody(json);
    throw response.errors.invalidResponse("upstream.noTranscript");
  }
  if (job.textOnly === true) {
    if (transcript.text !== "") yield { type: "text", text: transcript.text };
    yield { type: "done", transcript: { ...transcript, segments: [] } };
    return;
  }
  for (const segment of transcript.segments) yield { type: "segment", segment };
  yield { type: "done", transcript };
}

/** OpenAI's events, and vLLM's chunks in chat format. */
const transcriptEvent = z.union([
  z.object({ type: z.literal("transcript.text.delta"), delta: z.string() }),
  z.object({
    type: z.literal("transcript.text.done"),
    text: z.string(),
    usage: z
      .object({ seconds: z.number().min(0) })
      .optional()
      .catch(undefined),
  }),
  z.object({ error: z.unknown() }).refine(({ error }) => error !== undefined && error !== null),
  z.object({ choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })) }),
]);

async function* readEventStream(
  response: UpstreamResponse,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  let text = "";
  for await (const data of parseEventStream(response.bytes(maxTranscriptBytes))) {
    if (data === "[DONE]") {
      yield { type: "done", transcript: createTextTranscript(text) };
      return;
    }
    const event = parseEvent(data, response);
    if (event === undefined) continue;
    if ("error" in event) throw response.errors.fromBody(event);
    if ("text" in event) {
      if (text === "" && event.text !== "") yield { type: "text", text: event.text };
      yield { type: "done", transcript: createTextTranscript(event.text, event.usage?.seconds) };
      return;
    }
    const delta =
      "delta" in event
        ? event.delta
        : event.choices.map((choice) => choice.delta.content ?? "").join("");
    if (delta === "") continue;
    text += delta;
    yield { type: "text", text: delta };
  }
  throw response.errors.invalidResponse("upstream.brokenOff");
}

/** undefined for events of unknown types. */
function parseEvent(
  data: string,
  { errors }: UpstreamResponse,
): z.infer<typeof transcriptEvent> | undefined {
  try {
    return transcriptEvent.safeParse(JSON.parse(data)).data;
  } catch {
    throw errors.invalidResponse("upstream.brokenEvent");
  }
}

const createTextTranscript = (text: string, durationSec = 0): Transcript => ({
  language: "",
  durationSec,
  text: text.trim(),
  segments: [],
  failed: [],
});
