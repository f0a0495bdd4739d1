// Synthesizes speech at a provider: the job as JSON, the audio chunk by chunk. Inspects only the first chunk, to reject
// wrong formats, and pages or errors sent with a success status.

import type { OnSending } from "../../contract/channel.ts";
import type { AudioFormat, SpeechChunk, SpeechJob } from "../../contract/speech.ts";
import type { UpstreamClient } from "./client.ts";
import type { UpstreamResponse } from "./response.ts";
import { jsonBody, readJson } from "./json-body.ts";
import { looksLikeText, createAudioSecCalculator, matchesFormat } from "./audio-format-check.ts";

/**
 * 8 MiB, plus per character a third of a second of 48 kHz stereo, more than any voice needs at a quarter of normal
 * speed.
 */
const maxSpeechBytes = (text: string) => 8 * 2 ** 20 + text.length * 64 * 1024;
const maxErrorBytes = 64 * 1024;

/** `model` and `voice` are the provider's own names. */
export async function* synthesizeUpstream(
  client: UpstreamClient,
  { model, voice }: { model: string; voice: string },
  job: SpeechJob,
  signal: AbortSignal,
  onSending?: OnSending,
): AsyncGenerator<SpeechChunk, void, undefined> {
  const { text, format, speed, via } = job;
  const body = jsonBody({
    ...job.extraFields,
    model,
    input: text,
    voice,
    response_format: format,
    ...(speed === 1 ? {} : { speed }),
  });
  const response = await client.request({ path: "/audio/speech", body, via, onSending }, signal);
  try {
    if (response.contentType === "application/json")
      throw response.errors.fromBody(await readJson(response, maxErrorBytes));
    let toAudioSec: ((bytes: number) => number) | undefined;
    let sizeBytes = 0;
    for await (const bytes of response.bytes(maxSpeechBytes(text))) {
      if (bytes.length === 0) continue;
      if (sizeBytes === 0) {
        checkFirstBytes(response, bytes, format);
        toAudioSec = createAudioSecCalculator(bytes, format);
      }
      sizeBytes += bytes.length;
      yield { bytes, audioSec: toAudioSec?.(sizeBytes), progress: undefined };
    }
    if (sizeBytes === 0) throw response.errors.invalidResponse("upstream.noAudio");
  } finally {
    response.close();
  }
}

function checkFirstBytes(
  { contentType, errors }: UpstreamResponse,
  first: Uint8Array,
  format: AudioFormat,
): void {
  if (looksLikeText(contentType, first))
    throw errors.invalidResponse("upstream.notAudio", {
      contentType: contentType === "" ? "text" : contentType,
    });
  if (!matchesFormat(contentType, first, format))
    throw errors.invalidResponse("upstream.otherFormat", { format });
}
