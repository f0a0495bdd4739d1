// One connection of a Wyoming client: what each of its events asks for, and the answers. Requests are served one after
// the other. See server.ts for the connection itself.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type {
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "../../contract/speech.ts";
import { parseFields } from "../../contract/validation.ts";
import { removeMediaFile } from "../../storage/media-file.ts";
import type { RequestSlot } from "../http/admission.ts";
import { createArrivingText, type ArrivingText } from "./arriving-text.ts";
import { createRecording, type Recording } from "./recording.ts";
import { createSpeechOutput } from "./speech-output.ts";
import { chooseVoice, requestedVoice } from "./voice-choice.ts";
import {
  sendTranscript,
  toTranscriptionJob,
  transcribeFields,
  type TranscribeFields,
} from "./transcription.ts";
import type { Send, WyomingEvent } from "./wire-format.ts";

/** What this machine can do for the clients. */
export type WyomingServices = {
  /** Data of the event `info`. */
  info(): Record<string, unknown>;
  voices(): readonly VoiceInfo[];
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  synthesize(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk>;
  createSlot(): RequestSlot;
  /** An existing folder for recordings. */
  tempDir(): string;
};

export type Session = {
  /** Resolves when the next event may be read. @throws AppError if the event cannot be served */
  handle(event: WyomingEvent): Promise<void>;
  /** Waits for the client, not the client for us. */
  isWaiting(): boolean;
  /** Ends what is still being spoken. */
  close(): void;
};

const speechFields = z.object({
  voice: requestedVoice.nullish(),
  text_format: z.string().nullish(),
});
const chunkFields = z.object({ text: z.string() });
const synthesizeFields = speechFields.extend(chunkFields.shape);
type SpeechFields = z.infer<typeof speechFields>;
const pingFields = z.object({ text: z.string().nullish() });

/**
 * @param signal aborted when the connection has ended
 * @param onFailure called if speech fails while its text still arrives
 */
export function createSession(
  services: WyomingServices,
  send: Send,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Session {
  let transcribe: TranscribeFields = {};
  let recording: Recording | undefined;
  /** Being spoken while it arrives. */
  let speech: { text: ArrivingText; done: Promise<void> } | undefined;
  let isBusy = false;

  async function answerTranscription(): Promise<void> {
    const recorded = recording;
    const fields = transcribe;
    recording = undefined;
    transcribe = {};
    if (recorded === undefined) throw new AppError("wyoming.noRequest", { event: "audio-stop" });
    if (recorded.isEmpty) return send("transcript", { text: "" });
    const media = {
      mediaPath: join(services.tempDir(), `wyoming-${randomUUID()}`),
      mediaBytes: recorded.toWav(),
    };
    try {
      const job = toTranscriptionJob(fields, media);
      await withSlot(services, () => sendTranscript(services.transcribe(job, signal), send));
    } finally {
      await removeMediaFile(media);
    }
  }

  const speak = (fields: SpeechFields, text: ArrivingText): Promise<void> =>
    speakText(services, send, signal, fields, text);

  function startSpeech(event: WyomingEvent): void {
    if (speech !== undefined) throw new AppError("wyoming.noRequest", { event: event.type });
    const fields = parseSpeech(speechFields, event);
    const text = createArrivingText(languageOf(fields));
    speech = { text, done: speak(fields, text) };
    speech.done.catch(onFailure);
  }

  function arrivingText({ type }: WyomingEvent): ArrivingText {
    if (speech === undefined) throw new AppError("wyoming.noRequest", { event: type });
    return speech.text;
  }

  async function serve(event: WyomingEvent): Promise<void> {
    switch (event.type) {
      case "describe":
        return send("info", services.info());
      case "ping":
        return send("pong", { text: parseFields(pingFields, event.data).text ?? null });
      case "transcribe":
        transcribe = parseFields(transcribeFields, event.data);
        return;
      case "audio-start":
        recording = createRecording(event);
        return;
      case "audio-chunk":
        recording ??= createRecording(event);
        recording.add(event);
        return;
      case "audio-stop":
        return answerTranscription();
      case "synthesize": {
        // Beside a stream, clients send the whole text for servers that take no streams.
        if (speech !== undefined) return;
        const fields = parseSpeech(synthesizeFields, event);
        const text = createArrivingText(languageOf(fields));
        text.add(fields.text);
        text.end();
        return speak(fields, text);
      }
      case "synthesize-start":
        return startSpeech(event);
      case "synthesize-chunk":
        arrivingText(event).add(parseFields(chunkFields, event.data).text);
        return;
      case "synthesize-stop":
        arrivingText(event).end();
        await speech?.done;
        speech = undefined;
        return send("synthesize-stopped");
      // As the protocol asks, unknown events are ignored.
      default:
    }
  }

  return {
    async handle(event) {
      isBusy = true;
      await serve(event);
      isBusy = false;
    },
    isWaiting: () => !isBusy && speech?.text.isWaiting !== false,
    close: () => speech?.text.end(),
  };
}

async function withSlot(services: WyomingServices, work: () => Promise<void>): Promise<void> {
  const slot = services.createSlot();
  slot.acquire();
  try {
    await work();
  } finally {
    slot.release();
  }
}

function speakText(
  services: WyomingServices,
  send: Send,
  signal: AbortSignal,
  { voice }: SpeechFields,
  text: ArrivingText,
): Promise<void> {
  const choice = chooseVoice(voice ?? {}, services.voices());
  const output = createSpeechOutput(send);
  return withSlot(services, async () => {
    for await (const sentences of text.sentences()) {
      signal.throwIfAborted();
      const job = { ...choice, text: sentences, speed: 1, format: "pcm" as const };
      await output.play(services.synthesize(job, signal));
    }
    signal.throwIfAborted();
    await output.end();
  });
}

function parseSpeech<Schema extends typeof speechFields>(
  schema: Schema,
  { data }: WyomingEvent,
): z.output<Schema> {
  const fields = parseFields(schema, data);
  if ((fields.text_format ?? "text") !== "text") throw new AppError("wyoming.textFormat");
  return fields;
}

const languageOf = ({ voice }: SpeechFields): string | undefined =>
  parseLanguage(voice?.language ?? "");
