// Serves a request: tries one channel after another until one starts to respond. See attempt-plan.ts for the order and
// attempts.ts for retries; a channel itself tries once.

import type { AttemptAdmission, ChannelAttempt, RequestTrace } from "../usage/request-trace.ts";
import { setTimeout as pause } from "node:timers/promises";
import type { Routing } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import { createMessage } from "../contract/messages/messages.ts";
import {
  resolveMediaPath,
  type SpeechChunk,
  type SpeechJob,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../contract/speech.ts";
import { planAttempts, type ModelKind } from "./attempt-plan.ts";
import { createAttempts, type AttemptsDeps } from "./attempts.ts";
import type { Channel } from "../contract/channel.ts";
import type { Health } from "./health.ts";
import { type MeasureMedia, addMediaDuration, addAudioDuration } from "../usage/audio-duration.ts";
import type { Offer, Registry } from "./registry.ts";
import { type SplitSpeech, transcribeTimed } from "./timed-transcription.ts";

export type RouterDeps = Partial<AttemptsDeps> & {
  registry: Registry;
  routing(): Routing;
  /** Requested voice → fallback for channels that do not have it. */
  voiceAliases?: ReadonlyMap<string, string>;
  /** Duration of a media file in seconds, used if a provider does not report it. */
  measureMediaSec?: MeasureMedia;
  /** Without it, a provider's text without times gets no times. */
  splitSpeech?: SplitSpeech;
  /** For audio whose duration only decoding can tell; without it, that stays unknown. */
  tempDir?: () => string;
};

/** A job's `model` is a name as clients write it. Leaving a loop or aborting cancels the attempt. */
export interface Router {
  /** @throws AppError if no channel has such a model */
  check(model: string, kind: ModelKind): void;
  /** Whether this machine is tried first. @throws AppError if no channel has such a model */
  isLocal(model: string, kind: ModelKind): boolean;
  /**
   * Unless the job requests a stream, only progress events are emitted before the end, so that another channel can take
   * over until then.
   */
  transcribe(
    job: TranscriptionJob,
    trace: RequestTrace,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptionEvent, void, undefined>;
  /** No fallback after the first bytes were emitted. */
  synthesize(
    job: SpeechJob,
    trace: RequestTrace,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechChunk, void, undefined>;
}

/** How to send a request to a channel. */
type AttemptSender<Event> = {
  send(
    offer: Offer,
    channelAttempt: ChannelAttempt,
    admission: AttemptAdmission | undefined,
  ): AsyncIterable<Event>;
  /** Exact duration of the audio to transcribe. */
  measureSec?: (() => Promise<number>) | undefined;
};

/** Meaning of the events of a response. */
type EventClassifier<Event> = {
  /** The event sends something to the client. */
  startsOutput(event: Event): boolean;
  /** The request succeeded, even if the iteration continues. */
  isFinal(event: Event): boolean;
};

const transcriptionClassifier: EventClassifier<TranscriptionEvent> = {
  startsOutput: ({ type }) => type !== "progress",
  isFinal: ({ type }) => type === "done",
};
const speechClassifier: EventClassifier<SpeechChunk> = {
  startsOutput: ({ bytes }) => bytes.length > 0,
  isFinal: () => false,
};

const defaultWait = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal });

export function createRouter({
  registry,
  routing,
  voiceAliases = new Map(),
  measureMediaSec,
  splitSpeech,
  tempDir,
  random = Math.random,
  now = () => performance.now(),
  wait = defaultWait,
}: RouterDeps): Router {
  function offersFor(model: string, kind: ModelKind): readonly Offer[] {
    const offers = planAttempts({ registry, routing: routing(), random }, model, kind);
    if (offers.length === 0) throw unknownModelError(registry, model, kind);
    return offers;
  }

  async function* serve<Event>(
    offers: readonly Offer[],
    { send, measureSec }: AttemptSender<Event>,
    { startsOutput, isFinal }: EventClassifier<Event>,
    trace: RequestTrace,
    signal: AbortSignal,
  ): AsyncGenerator<Event, void, undefined> {
    const attempts = createAttempts(offers, { now, random, wait });
    const penalizedHealths = new Set<Health>();
    for (;;) {
      const { offer, ticket } = await attempts.next(signal);
      const {
        channel,
        info,
        registered: { health, isPaid = false },
      } = offer;
      const channelAttempt: ChannelAttempt = {
        channel: channel.name,
        model: info.id,
        isPaid,
        hasFailed: false,
      };
      let admission: AttemptAdmission | undefined;
      try {
        admission = await trace.admit?.(channelAttempt, measureSec);
        signal.throwIfAborted();
      } catch (error) {
        // The channel was not tried, so this says nothing about it.
        ticket.markAbandoned();
        if (!(error instanceof AppError)) throw error;
        attempts.recordFailure(offer, error);
        continue;
      }
      trace.latestAttempt = channelAttempt;
      // This loop pauses while the consumer does not read, so an abort must release the ticket here.
      signal.addEventListener("abort", ticket.markAbandoned);
      let hasStarted = false;
      /** The consumer holds the latest event; an error now means that it left. */
      let isYielding = false;
      trace.attempts += 1;
      try {
        for await (const event of send(offer, channelAttempt, admission)) {
          if (!hasStarted && startsOutput(event)) {
            hasStarted = true;
            ticket.markStarted();
            Object.assign(trace, {
              channel: channelAttempt.channel,
              model: channelAttempt.model,
              isPaid,
            });
          }
          if (isFinal(event)) ticket.markSucceeded();
          isYielding = true;
          yield event;
          isYielding = false;
        }
        ticket.markSucceeded();
        return;
      } catch (error) {
        if (isYielding || signal.aborted || !(error instanceof AppError)) throw error;
        // Failures of local engines never open the breaker. A request counts once, since the request itself may be the
        // cause.
        const isChannelFault = error.row.status >= 500 && !channel.isLocal;
        ticket.markFailed(
          error,
          isChannelFault && penalizedHealths.has(health) ? undefined : isChannelFault,
        );
        if (isChannelFault) penalizedHealths.add(health);
        if (hasStarted) throw error;
        const isCharged = isPaid && (error.mayBeCharged || (channelAttempt.processedSec ?? 0) > 0);
        if (isCharged) trace.chargedAttempts = [...(trace.chargedAttempts ?? []), channelAttempt];
        channelAttempt.hasFailed = !isCharged;
        attempts.recordFailure(offer, error);
      } finally {
        signal.removeEventListener("abort", ticket.markAbandoned);
        ticket.markAbandoned();
      }
    }
  }

  function transcribeUpstream(
    channel: Channel,
    job: TranscriptionJob,
    channelAttempt: ChannelAttempt,
    signal: AbortSignal,
  ): AsyncIterable<TranscriptionEvent> {
    const measure =
      measureMediaSec &&
      (async (stopSignal: AbortSignal) => measureMediaSec(await resolveMediaPath(job), stopSignal));
    const events = transcribeTimed(
      channel,
      job,
      {
        splitSpeech,
        wait,
        onProcessed: (sec) =>
          (channelAttempt.processedSec = (channelAttempt.processedSec ?? 0) + sec),
        measureSec: () => measure?.(signal),
      },
      signal,
    );
    return measure === undefined
      ? events
      : addMediaDuration(events, measure, channelAttempt, signal);
  }

  return {
    check: (model, kind) => void offersFor(model, kind),
    isLocal: (model, kind) => offersFor(model, kind)[0]?.channel.isLocal === true,
    async *transcribe(job, trace, signal) {
      const offers = offersFor(job.model, "speech-to-text");
      let exactSec: Promise<number> | undefined;
      const measureSec =
        measureMediaSec &&
        (() =>
          (exactSec ??= resolveMediaPath(job).then((path) =>
            measureMediaSec(path, signal, { isExact: true }),
          )));
      const send = (
        { channel, channelModel }: Offer,
        channelAttempt: ChannelAttempt,
      ): AsyncIterable<TranscriptionEvent> => {
        job.onChannelSelected?.(channel.name);
        const channelJob = { ...job, model: channelModel };
        const events = channel.isLocal
          ? channel.transcribe(channelJob, signal)
          : transcribeUpstream(channel, channelJob, channelAttempt, signal);
        return job.stream === true ? events : bufferUntilDone(events);
      };
      yield* serve(offers, { send, measureSec }, transcriptionClassifier, trace, signal);
    },
    async *synthesize(job, trace, signal) {
      const offers = offersFor(job.model, "text-to-speech");
      const voices = new Map(
        offers.flatMap((offer) => {
          const voice = resolveVoice(offer, job.voice, voiceAliases);
          return voice === undefined ? [] : [[offer, voice] as const];
        }),
      );
      if (voices.size === 0) throw unknownVoiceError(offers, job.voice);
      const send = (
        offer: Offer,
        channelAttempt: ChannelAttempt,
        admission: AttemptAdmission | undefined,
      ): AsyncIterable<SpeechChunk> => {
        job.onChannelSelected?.(offer.channel.name);
        const chunks = offer.channel.synthesize(
          { ...job, model: offer.channelModel, voice: voices.get(offer) ?? job.voice },
          signal,
        );
        // For headerless samples, the byte count gives the duration.
        const needsMeasurement = admission?.needsAudioSec === true && job.format !== "pcm";
        return needsMeasurement && measureMediaSec !== undefined && tempDir !== undefined
          ? addAudioDuration(chunks, channelAttempt, { mediaSec: measureMediaSec, tempDir })
          : chunks;
      };
      yield* serve([...voices.keys()], { send }, speechClassifier, trace, signal);
    },
  };
}

/** Emits progress immediately and all other events after the last one arrived. */
async function* bufferUntilDone(
  events: AsyncIterable<TranscriptionEvent>,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const buffered: TranscriptionEvent[] = [];
  for await (const event of events) {
    if (event.type === "progress") yield event;
    else buffered.push(event);
    if (event.type === "done") yield* buffered;
  }
}

/** undefined if the channel does not have the voice. A channel that lists no voices accepts any. */
function resolveVoice(
  { channel }: Offer,
  requestedVoice: string,
  aliases: ReadonlyMap<string, string>,
): string | undefined {
  const voices = channel.voices();
  if (voices.length === 0) return requestedVoice;
  return [requestedVoice, aliases.get(requestedVoice)].find((voice) =>
    voices.some(({ id }) => id === voice),
  );
}

function unknownVoiceError(offers: readonly Offer[], requestedVoice: string): AppError {
  const names = new Set(
    offers.flatMap(({ channel }) => channel.voices().map(({ id }) => `'${id}'`)),
  );
  return new AppError(
    "voice.unsupported",
    { voices: [...names].join(", "), voice: requestedVoice.slice(0, 40) },
    { param: "voice" },
  );
}

/** A provider may have hundreds of models. */
const maxListedModels = 20;

/** The message lists available models. */
function unknownModelError(registry: Registry, id: string, kind: ModelKind): AppError {
  const others = registry
    .models()
    .filter((model) => model.kind === kind)
    .map((model) => `'${model.id}'`);
  const models = others.slice(0, maxListedModels).join(", ");
  const more = others.length - maxListedModels;
  const known =
    others.length === 0
      ? ""
      : more > 0
        ? createMessage("model.knownAndMore", { models, more })
        : createMessage("model.known", { models });
  const match = registry.model(id);
  if (match === undefined || match.kind === "unknown")
    return new AppError("model.unknown", { model: id.slice(0, 200), known }, { param: "model" });
  return new AppError(
    match.kind === "speech-to-text" ? "model.forTranscription" : "model.forSpeech",
    { model: id, known },
    { param: "model" },
  );
}
