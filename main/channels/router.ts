// Serves a request: tries one channel after another until one starts to respond, and records its usage. See
// attempt-plan.ts for the order, attempt-loop.ts and attempts.ts for retries, record-request.ts for what is recorded,
// and usage/metering.ts for what is due.

import { setTimeout as pause } from "node:timers/promises";
import type { RealtimeRequest } from "../contract/channel.ts";
import type { Routing } from "../contract/channels.ts";
import type { AppError } from "../contract/errors.ts";
import {
  type DraftJob,
  type DraftTranscript,
  type SpeechChunk,
  type SpeechJob,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../contract/speech.ts";
import { planAttempts, type ModelKind } from "./attempt-plan.ts";
import { type EventClassifier, serveWithFallback } from "./attempt-loop.ts";
import { finishTranscription } from "./finished-transcription.ts";
import type { AttemptsDeps } from "./attempts.ts";
import {
  createSpeechSender,
  createTranscriptionSender,
  type SenderDeps,
} from "./attempt-senders.ts";
import type { Meter, Metering } from "../usage/metering.ts";
import { openRealtimeOffer, type RealtimeUpstream } from "./realtime-offer.ts";
import { recordRequest, type RequestMeter } from "./record-request.ts";
import type { Offer, Registry } from "./registry.ts";
import { unknownModelError, unknownVoiceError } from "./unserved-request.ts";

export type RouterDeps = Partial<AttemptsDeps> &
  SenderDeps & {
    registry: Registry;
    metering: Metering;
    routing(): Routing;
    /** Why no channel has a model, if the reason is that Offline is switched on. */
    blockedReason?(model: string): AppError | undefined;
    /** Adds speakers to a transcription of which they are asked. */
    labelSpeakers?: LabelSpeakers;
    /** Requested voice → fallback for channels that do not have it. */
    voiceAliases?: ReadonlyMap<string, string>;
  };

export type LabelSpeakers = {
  /** @throws AppError if this installation cannot tell speakers apart */
  check(): void;
  label(
    events: AsyncIterable<TranscriptionEvent>,
    job: TranscriptionJob,
    signal: AbortSignal,
  ): AsyncIterable<TranscriptionEvent>;
};

export type RequestOptions = {
  /** Aborted only by the caller, who has left then. */
  signal: AbortSignal;
  /**
   * Called with each channel that receives the audio or text, even if it then fails; not with one that could not be
   * reached. A channel that receives it in several requests is reported with each.
   */
  onSentTo?: (channel: string) => void;
  /** Called once with the channel that serves the request, before its first output. */
  onServing?: (channel: string) => void;
} & RequestMeter;

/** A job's `model` is a name as clients write it. Leaving a loop or aborting cancels the attempt. */
export interface Router {
  /** @throws AppError if no channel has such a model */
  check(model: string, kind: ModelKind): void;
  /** @throws AppError if no channel has such a model, or none can do the job, as far as they know before */
  checkTranscription(job: TranscriptionJob): void;
  /** Whether this machine is tried first. @throws AppError if no channel has such a model */
  isLocal(model: string, kind: ModelKind): boolean;
  /**
   * Unless the job requests a stream, only progress events are emitted before the end, so that another channel can take
   * over until then.
   */
  transcribe(
    job: TranscriptionJob,
    options: RequestOptions,
  ): AsyncGenerator<TranscriptionEvent, void, undefined>;
  /**
   * Speech that still goes on. Not recorded: what is settled later is.
   * @returns undefined unless this machine is tried first and can do it
   */
  draft(job: DraftJob, signal: AbortSignal): Promise<DraftTranscript | undefined>;
  /**
   * Opens a realtime session at the provider of a model. The caller meters it, and closes it.
   * @returns undefined if this machine is tried first, or the provider that is has no such sessions
   * @throws AppError if no channel has such a model
   */
  openRealtime(model: string, request: RealtimeRequest): Promise<RealtimeUpstream | undefined>;
  /** No fallback after the first bytes were emitted. */
  synthesize(job: SpeechJob, options: RequestOptions): AsyncGenerator<SpeechChunk, void, undefined>;
}

const transcriptionClassifier: EventClassifier<TranscriptionEvent> = {
  startsOutput: ({ type }) => type !== "progress",
  isFinal: ({ type }) => type === "done",
};
const speechClassifier: EventClassifier<SpeechChunk> = {
  startsOutput: ({ bytes }) => bytes.length > 0,
  isFinal: () => false,
};

/** For an upper estimate of the duration: voices read 15 Latin characters per second, but only 4 or 5 Chinese ones. */
const minCharactersPerSec = 4;

const defaultWait = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal });

export function createRouter({
  registry,
  metering,
  routing,
  blockedReason,
  voiceAliases = new Map(),
  labelSpeakers,
  measureMediaSec,
  splitSpeech,
  tempDir,
  random = Math.random,
  now = () => performance.now(),
  wait = defaultWait,
}: RouterDeps): Router {
  function offersFor(model: string, kind: ModelKind): readonly Offer[] {
    const offers = planAttempts({ registry, routing: routing(), random }, model, kind);
    if (offers.length === 0)
      throw blockedReason?.(model) ?? unknownModelError(registry, model, kind);
    return offers;
  }

  /** Those that can do the job, as far as they know before. */
  function offersForTranscription(job: TranscriptionJob): readonly Offer[] {
    if (job.speakers !== undefined) labelSpeakers?.check();
    const offers = offersFor(job.model, "speech-to-text");
    const refusals = offers.map(({ channel, channelModel }) =>
      channel.whyUnable?.({ ...job, model: channelModel }),
    );
    const able = offers.filter((_, index) => refusals[index] === undefined);
    const [refusal] = refusals;
    if (able.length === 0 && refusal !== undefined) throw refusal;
    return able;
  }

  const sendDeps = { measureMediaSec, splitSpeech, tempDir, wait };

  async function* transcribe(
    job: TranscriptionJob,
    options: RequestOptions,
    meter: Meter,
  ): AsyncGenerator<TranscriptionEvent, void, undefined> {
    meter.setRequest({ model: job.model });
    const events = serveWithFallback(
      offersForTranscription(job),
      createTranscriptionSender(sendDeps, job, options),
      transcriptionClassifier,
      { ...options, meter, now, random, wait },
    );
    const finished = finishTranscription(events, job);
    const labels = job.speakers === undefined ? undefined : labelSpeakers;
    for await (const event of labels?.label(finished, job, options.signal) ?? finished) {
      // Audio processed so far counts even if the caller leaves before the end.
      if (event.type === "progress") meter.setAudioSec(event.processedSec);
      if (event.type === "done") meter.setAudioSec(event.transcript.durationSec);
      yield event;
    }
  }

  async function* synthesize(
    job: SpeechJob,
    options: RequestOptions,
    meter: Meter,
  ): AsyncGenerator<SpeechChunk, void, undefined> {
    const characters = Array.from(job.text).length;
    const expectedSec = characters / (minCharactersPerSec * job.speed);
    meter.setRequest({ model: job.model, characters, expectedSec });
    const offers = offersFor(job.model, "text-to-speech");
    const voices = findVoices(offers, job.voice, voiceAliases);
    for await (const chunk of serveWithFallback(
      [...voices.keys()],
      createSpeechSender(sendDeps, job, voices, options),
      speechClassifier,
      { ...options, meter, now, random, wait },
    )) {
      meter.setAudioSec(chunk.audioSec);
      // The server counts the bytes of its responses itself.
      if ("caller" in options) meter.addSentBytes(chunk.bytes.length);
      yield chunk;
    }
  }

  return {
    check: (model, kind) => void offersFor(model, kind),
    checkTranscription: (job) => void offersForTranscription(job),
    isLocal: (model, kind) => offersFor(model, kind)[0]?.channel.isLocal === true,
    async draft(job, signal) {
      const [offer] = offersFor(job.model, "speech-to-text");
      if (offer?.channel.isLocal !== true) return undefined;
      return offer.channel.draft?.({ ...job, model: offer.channelModel }, signal);
    },
    async openRealtime(model, request) {
      const [offer] = offersFor(model, "speech-to-text");
      return offer && openRealtimeOffer(offer, request);
    },
    transcribe: (job, options) =>
      recordRequest(
        metering,
        job.task === "translate" ? "translations" : "transcriptions",
        options,
        transcriptionClassifier.isFinal,
        (meter) => transcribe(job, options, meter),
      ),
    synthesize: (job, options) =>
      recordRequest(metering, "speech", options, speechClassifier.isFinal, (meter) =>
        synthesize(job, options, meter),
      ),
  };
}

/** The offers that have the voice, with its name there. @throws AppError if none has it */
function findVoices(
  offers: readonly Offer[],
  requestedVoice: string,
  aliases: ReadonlyMap<string, string>,
): ReadonlyMap<Offer, string> {
  const voices = new Map(
    offers.flatMap((offer) => {
      const voice = resolveVoice(offer, requestedVoice, aliases);
      return voice === undefined ? [] : [[offer, voice] as const];
    }),
  );
  if (voices.size === 0) throw unknownVoiceError(offers, requestedVoice);
  return voices;
}

/** undefined if the channel does not have the voice. A channel that lists no voices accepts any. */
function resolveVoice(
  { channel }: Offer,
  requestedVoice: string,
  aliases: ReadonlyMap<string, string>,
): string | undefined {
  const voices = channel.voices();
  if (voices.length === 0) return requestedVoice;
  const hasVoice = (voice: string): boolean =>
    channel.hasVoice?.(voice) ?? voices.some(({ id }) => id === voice);
  return [requestedVoice, aliases.get(requestedVoice)].find(
    (voice) => voice !== undefined && hasVoice(voice),
  );
}
