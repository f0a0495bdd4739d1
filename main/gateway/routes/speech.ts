// POST /v1/audio/speech and GET /v1/audio/voices. The first piece of audio is awaited before the answer begins, so
// that whatever goes wrong before it gets a status; a failure after it breaks the connection, never a short file.

import type { Channel } from '../../channels/channel.ts';
import { audioMimeTypes } from '../../audio/formats.ts';
import { AppError } from '../../contract/errors.ts';
import { speechRequest } from '../../contract/openai.ts';
import type { SpeechEvent, VoiceList } from '../../contract/openai.ts';
import type { SpeechChunk, SpeechJob } from '../../contract/speech.ts';
import { presentable } from '../error-response.ts';
import { readJsonObject } from '../request-body.ts';
import { eventStreamResponse, streamResponse } from '../streams.ts';
import { parseFields } from '../validation.ts';
import { findModel } from './find-model.ts';
import type { GatewayDeps, RouteContext } from './route-context.ts';

const maxSpeechBodyBytes = 2 ** 20;

export async function speak(request: Request, context: RouteContext): Promise<Response> {
  const fields = parseFields(speechRequest, await readJsonObject(request, maxSpeechBodyBytes, context.limits));
  const { channel, channelModel } = findModel(context.deps.registry, fields.model, 'text-to-speech');
  const job: SpeechJob = {
    model: channelModel,
    text: fields.input.toWellFormed(),
    voice: chosenVoice(fields.voice, channel, context.deps.voiceAliases),
    speed: fields.speed,
    format: fields.response_format,
  };
  const stop = new AbortController();
  const chunks = channel.speak(job, AbortSignal.any([request.signal, stop.signal]));
  if (fields.stream_format === 'sse') {
    return await eventStreamResponse(speechEvents(chunks, job), {
      stop,
      keepAliveMs: context.keepAliveMs,
      present: (error) => presentable(error, context.requestId, context.log),
    });
  }
  const bytes = audioBytes(chunks);
  let first = (await bytes.next()).value;
  if (first === undefined) throw nothingToSay();
  const source = {
    async next() {
      const chunk = first ?? (await bytes.next()).value;
      first = undefined;
      return chunk;
    },
    close: () => bytes.return(undefined),
  };
  return streamResponse(source, stop, { 'content-type': audioMimeTypes[job.format] });
}

const nothingToSay = () => new AppError('nothing_to_say', "'input' holds nothing that can be spoken.", { param: 'input' });

function chosenVoice(asked: string, channel: Channel, aliases: ReadonlyMap<string, string>): string {
  const names = channel.voices().map(({ id }) => id);
  for (const voice of [asked, aliases.get(asked)]) if (voice !== undefined && names.includes(voice)) return voice;
  const known = names.map((name) => `'${name}'`).join(', ');
  throw new AppError('unsupported_value', `'voice' must be one of ${known}; '${asked.slice(0, 40)}' was given.`, { param: 'voice' });
}

async function* audioBytes(chunks: AsyncIterable<SpeechChunk>): AsyncGenerator<Uint8Array, undefined> {
  for await (const { bytes } of chunks) if (bytes.length > 0) yield bytes;
  return undefined;
}

/** Base64 pieces, then what was used: characters read, and audio made in frames of 20 ms. */
async function* speechEvents(chunks: AsyncIterable<SpeechChunk>, { text }: SpeechJob): AsyncGenerator<SpeechEvent> {
  let madeSec: number | undefined;
  let spoken = false;
  for await (const chunk of chunks) {
    madeSec = chunk.madeSec;
    if (chunk.bytes.length === 0) continue;
    spoken = true;
    yield { type: 'speech.audio.delta', audio: Buffer.from(chunk.bytes).toString('base64') };
  }
  if (!spoken) throw nothingToSay();
  const usage = { input_tokens: Array.from(text).length, output_tokens: Math.ceil((madeSec ?? 0) * 50) };
  yield { type: 'speech.audio.done', usage: { ...usage, total_tokens: usage.input_tokens + usage.output_tokens } };
}

/** What is offered to choose from; aliases work but are not listed. */
export function listVoices({ registry }: GatewayDeps): Response {
  const voices = registry.voices().map(({ id, name, character }) => ({ id, name, character }));
  return Response.json({ voices } satisfies VoiceList);
}
