// Has a provider hear a file: the job as a form, the answer (JSON, or events while it is heard) as events of ours.

import { z } from "zod";
import {
  mediaPathOf,
  type Transcript,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../../contract/speech.ts";
import type { UpstreamAnswer, UpstreamClient } from "./client.ts";
import { eventData } from "./event-stream.ts";
import { readJson } from "./json-body.ts";
import { readTranscript } from "./transcript.ts";
import { uploadForm } from "./upload-form.ts";
import type { FormField } from "./upload-form.ts";

/** A day of speech with the times of its words is some 25 MB; what is more is no transcript. */
const maxTranscriptBytes = 32 * 2 ** 20;

/** `model` is the provider's own id. */
export async function* hearUpstream(
  client: UpstreamClient,
  model: string,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const body = await uploadForm(formFields(model, job), job.mediaBytes ?? (await mediaPathOf(job)));
  const path = job.task === "translate" ? "/audio/translations" : "/audio/transcriptions";
  const answer = await client.request({ path, body, via: job.via }, signal);
  try {
    yield* answer.contentType === "text/event-stream" ? streamed(answer) : whole(answer, job);
  } finally {
    answer.close();
  }
}

function formFields(model: string, job: TranscriptionJob): FormField[] {
  const fields: FormField[] = [["model", model]];
  // A translation is always into English, and providers refuse the field.
  if (job.language !== undefined && job.task === "transcribe")
    fields.push(["language", job.language]);
  if (job.prompt !== undefined) fields.push(["prompt", job.prompt]);
  if (job.temperature !== 0) fields.push(["temperature", String(job.temperature)]);
  fields.push(["response_format", job.textOnly === true ? "json" : "verbose_json"]);
  if (job.wordTimes)
    for (const times of ["word", "segment"]) fields.push(["timestamp_granularities[]", times]);
  // Streamed text has no times.
  if (job.stream === true && job.textOnly === true) fields.push(["stream", "true"]);
  const own = new Set(fields.map(([name]) => name.replace("[]", "")));
  for (const [name, values] of job.extra ?? []) {
    if (own.has(name) || name === "file") continue;
    const sentAs = values.length > 1 || listFields.includes(name) ? `${name}[]` : name;
    for (const value of values) fields.push([sentAs, value]);
  }
  return fields;
}

/** Fields of OpenAI's that are lists even with one value. */
const listFields: readonly string[] = [
  "include",
  "languages",
  "keywords",
  "known_speaker_names",
  "known_speaker_references",
];

async function* whole(
  answer: UpstreamAnswer,
  job: TranscriptionJob,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const json = await readJson(answer, maxTranscriptBytes);
  const transcript = readTranscript(json);
  if (transcript === undefined) {
    // whisper.cpp's server reports errors with the status 200.
    if (z.object({ error: z.unknown() }).safeParse(json).success)
      throw answer.errors.reported(json);
    throw answer.errors.broken("answered with JSON that is no transcript");
  }
  if (job.textOnly === true) {
    if (transcript.text !== "") yield { type: "text", text: transcript.text };
    yield { type: "done", transcript: { ...transcript, segments: [] } };
    return;
  }
  for (const segment of transcript.segments) yield { type: "segment", segment };
  yield { type: "done", transcript };
}

/** OpenAI's events, and the pieces vLLM sends in the form of a chat's. */
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

async function* streamed(
  answer: UpstreamAnswer,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  let text = "";
  for await (const data of eventData(answer.bytes(maxTranscriptBytes))) {
    if (data === "[DONE]") {
      yield { type: "done", transcript: textAlone(text) };
      return;
    }
    const event = readEvent(data, answer);
    if (event === undefined) continue;
    if ("error" in event) throw answer.errors.reported(event);
    if ("text" in event) {
      if (text === "" && event.text !== "") yield { type: "text", text: event.text };
      yield { type: "done", transcript: textAlone(event.text, event.usage?.seconds) };
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
  throw answer.errors.broken("broke off in the middle of its answer");
}

/** Undefined for an event of a kind that is not ours to know. */
function readEvent(
  data: string,
  { errors }: UpstreamAnswer,
): z.infer<typeof transcriptEvent> | undefined {
  try {
    return transcriptEvent.safeParse(JSON.parse(data)).data;
  } catch {
    throw errors.broken("sent an event that is not JSON");
  }
}

const textAlone = (text: string, durationSec = 0): Transcript => ({
  language: "",
  durationSec,
  text: text.trim(),
  segments: [],
  failed: [],
});
