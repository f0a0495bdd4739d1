// POST /v1/audio/speech and GET /v1/audio/voices. The response starts with the first audio chunk, so that errors before
// it get a status; a later failure aborts the connection, so that no truncated file looks complete.

import type { Registry } from "../../channels/registry.ts";
import { isBuiltInName } from "../../contract/channels.ts";
import { audioMimeTypes } from "../../audio/codec/formats.ts";
import { AppError } from "../../contract/errors.ts";
import { speechRequest, voiceHeader, warningHeader } from "../../contract/openai.ts";
import type { SpeechEvent, SpeechRequest, VoiceList } from "../../contract/openai.ts";
import type { SpeechChunk, SpeechJob } from "../../contract/speech.ts";
import { toAppError } from "../http/error-response.ts";
import { parseViaHeader } from "../http/loop-guard.ts";
import { readJsonObject } from "../http/request-body.ts";
import { eventStreamResponse, streamResponse } from "../http/stream-response.ts";
import { parseFields } from "../../contract/validation.ts";
import { checkModel } from "./check-model.ts";
import { toHeaderValue } from "./metered-request.ts";
import type { MeteredContext } from "../route-context.ts";

const maxSpeechBodyBytes = 2 ** 20;

export async function handleSpeech(request: Request, context: MeteredContext): Promise<Response> {
  const { meter, onServing } = context;
  const { router } = context.deps;
  const body = await readJsonObject(request, maxSpeechBodyBytes, context.limits);
  const fields = parseFields(speechRequest, body);
  meter.setRequest({ model: fields.model });
  await checkModel(context.deps, fields.model, "text-to-speech");
  context.admit(fields.model, "text-to-speech");
  const job = createSpeechJob(fields, body, request);
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const casting: CastingHeaders = {};
  const chunks = recordCasting(router.synthesize(job, { meter, signal, onServing }), casting);
  if (fields.stream_format === "sse") {
    const response = await eventStreamResponse(
      toSpeechEvents(chunks, Array.from(job.text).length),
      {
        stop,
        keepAliveMs: context.keepAliveMs,
        toAppError: (error) => toAppError(error, context.requestId, context.log),
      },
    );
    for (const [name, value] of Object.entries(casting)) response.headers.set(name, value);
    return response;
  }
  const bytes = toAudioBytes(chunks);
  let first = (await bytes.next()).value;
  if (first === undefined) throw nothingToSayError();
  const source = {
    async next() {
      const chunk = first ?? (await bytes.next()).value;
      first = undefined;
      return chunk;
    },
    close: () => bytes.return(undefined),
  };
  return streamResponse(source, stop, { "content-type": audioMimeTypes[job.format], ...casting });
}

type CastingHeaders = Record<string, string>;

/** The voices are known with the first chunk, before the response starts. */
async function* recordCasting(
  chunks: AsyncIterable<SpeechChunk>,
  headers: CastingHeaders,
): AsyncGenerator<SpeechChunk> {
  for await (const chunk of chunks) {
    const { takenOverBy = [], warning } = chunk.casting ?? {};
    if (takenOverBy.length > 0) headers[voiceHeader] = toHeaderValue(takenOverBy.join(", "));
    if (warning !== undefined) headers[warningHeader] = toHeaderValue(warning.message);
    yield chunk;
  }
}

/** Providers get them as they were sent. */
const languageFields: readonly string[] = ["language", "lang_code"];

function createSpeechJob(
  fields: SpeechRequest,
  body: Record<string, unknown>,
  request: Request,
): SpeechJob {
  const language = fields.language || fields.lang_code;
  const extraFields = Object.fromEntries(
    Object.entries(body).filter(
      ([name]) => !Object.hasOwn(speechRequest.shape, name) || languageFields.includes(name),
    ),
  );
  return {
    model: fields.model,
    text: fields.input.toWellFormed(),
    voice: fields.voice,
    ...(language === "" ? {} : { language }),
    speed: fields.speed,
    format: fields.response_format,
    extraFields,
    via: parseViaHeader(request),
  };
}

const nothingToSayError = () => new AppError("speech.silentField", {}, { param: "input" });

async function* toAudioBytes(
  chunks: AsyncIterable<SpeechChunk>,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const { bytes } of chunks) if (bytes.length > 0) yield bytes;
  return undefined;
}

/** Base64 chunks, then the usage if known: characters read, and generated audio in frames of 20 ms. */
async function* toSpeechEvents(
  chunks: AsyncIterable<SpeechChunk>,
  characters: number,
): AsyncGenerator<SpeechEvent> {
  let audioSec: number | undefined;
  let hasAudio = false;
  for await (const chunk of chunks) {
    audioSec = chunk.audioSec;
    if (chunk.bytes.length === 0) continue;
    hasAudio = true;
    yield { type: "speech.audio.delta", audio: Buffer.from(chunk.bytes).toString("base64") };
  }
  if (!hasAudio) throw nothingToSayError();
  const usage = { input_tokens: characters, output_tokens: Math.ceil((audioSec ?? 0) * 50) };
  yield {
    type: "speech.audio.done",
    usage: { ...usage, total_tokens: usage.input_tokens + usage.output_tokens },
  };
}

/**
 * Voices without aliases and blends: those work but are not listed.
 * @param request may ask for those of a `model` or `language`, with or without its region
 */
export function listVoices(request: Request, registry: Registry): Response {
  const { searchParams } = new URL(request.url);
  const model = searchParams.get("model");
  const language = searchParams.get("language")?.toLowerCase();
  const hasEveryVoice = model === null || (isBuiltInName(model) && model !== "whisper-1");
  const voices = registry.voices((voice) => {
    const own = voice.language.toLowerCase();
    return (
      (hasEveryVoice || voice.model === model) &&
      (language === undefined || own === language || own.startsWith(`${language}-`))
    );
  });
  return Response.json({ voices: [...voices] } satisfies VoiceList);
}
