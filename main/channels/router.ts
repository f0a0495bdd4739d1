// Serves a request by whoever can: one channel after the other until one has begun to answer. The order is
// attempt-plan.ts's, what is worth another try attempts.ts's; a channel itself tries once.

import type { Admission, Asked, Served } from "../usage/served.ts";
import { setTimeout as pause } from "node:timers/promises";
import type { Routing } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
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
  /** Voice asked for → voice to take where a channel does not have that one. */
  voiceAliases?: ReadonlyMap<string, string>;
  /** Seconds of a media file: asked where a provider does not tell them. */
  measureMediaSec?: MeasureMedia;
  /** Optional; without it, a provider's text without times gets none. */
  splitSpeech?: SplitSpeech;
  /** For speech whose length only decoding tells; optional; without it, it stays unknown. */
  tempDir?: () => string;
};

/** A job's `model` is a name as clients write it. Leaving a loop or aborting ends what runs for it. */
export interface Router {
  /** @throws AppError where nothing of that name does this */
  check(model: string, kind: ModelKind): void;
  /** This machine would be asked first. @throws AppError where nothing of that name does this */
  isLocal(model: string, kind: ModelKind): boolean;
  /** Unless the job asks for a stream, nothing but progress is told before all is heard: until then another may take over. */
  transcribe(
    job: TranscriptionJob,
    trace: Served,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptionEvent, void, undefined>;
  /** Nobody takes over once the first bytes are told. */
  synthesize(
    job: SpeechJob,
    trace: Served,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechChunk, void, undefined>;
}

/** How a request is put to whoever serves it. */
type AttemptSender<Event> = {
  send(offer: Offer, channelAttempt: Asked, admission: Admission | undefined): AsyncIterable<Event>;
  /** Exact length of the sound to be heard. */
  measureSec?: (() => Promise<number>) | undefined;
};

/** What the events of an answer mean. */
type EventClassifier<Event> = {
  /** The client is sent something. */
  startsOutput(event: Event): boolean;
  /** All went well, although the iteration may go on. */
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
    trace: Served,
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
      const channelAttempt: Asked = {
        channel: channel.name,
        model: info.id,
        isPaid,
        hasFailed: false,
      };
      let admission: Admission | undefined;
      try {
        admission = await trace.admit?.(channelAttempt, measureSec);
        signal.throwIfAborted();
      } catch (error) {
        // Nothing was learned about the channel, which was not asked.
        ticket.markAbandoned();
        if (!(error instanceof AppError)) throw error;
        attempts.recordFailure(offer, error);
        continue;
      }
      trace.asked = channelAttempt;
      // Whoever does not read what it was told holds this loop up.
      signal.addEventListener("abort", ticket.markAbandoned);
      let hasStarted = false;
      /** The client has the latest event: what is thrown now comes of its leaving. */
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
        // This machine's own engines are always worth asking. And one request counts once: it may itself be the reason.
        const isChannelFault = error.row.status >= 500 && !channel.isLocal;
        ticket.markFailed(
          error,
          isChannelFault && penalizedHealths.has(health) ? undefined : isChannelFault,
        );
        if (isChannelFault) penalizedHealths.add(health);
        if (hasStarted) throw error;
        const isCharged = isPaid && (error.mayBeCharged || (channelAttempt.heardSec ?? 0) > 0);
        if (isCharged) trace.charged = [...(trace.charged ?? []), channelAttempt];
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
    channelAttempt: Asked,
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
        onProcessed: (sec) => (channelAttempt.heardSec = (channelAttempt.heardSec ?? 0) + sec),
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
        channelAttempt: Asked,
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
        channelAttempt: Asked,
        admission: Admission | undefined,
      ): AsyncIterable<SpeechChunk> => {
        job.onChannelSelected?.(offer.channel.name);
        const chunks = offer.channel.synthesize(
          { ...job, model: offer.channelModel, voice: voices.get(offer) ?? job.voice },
          signal,
        );
        // Samples without a header tell their length by their number.
        const needsMeasurement = admission?.needsMadeSec === true && job.format !== "pcm";
        return needsMeasurement && measureMediaSec !== undefined && tempDir !== undefined
          ? addAudioDuration(chunks, channelAttempt, { mediaSec: measureMediaSec, tempDir })
          : chunks;
      };
      yield* serve([...voices.keys()], { send }, speechClassifier, trace, signal);
    },
  };
}

/** Progress as it comes, everything else once the last of it is there. */
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

/** undefined where the channel cannot speak with it. A channel that knows no voices by name takes any. */
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
    "unsupported_value",
    `'voice' must be one of ${[...names].join(", ")}; '${requestedVoice.slice(0, 40)}' was given.`,
    { param: "voice" },
  );
}

/** A provider may have hundreds of models. */
const maxListedModels = 20;
const verbByKind = { "speech-to-text": "hears", "text-to-speech": "speaks" } as const;

/** The error tells which models could have been named. */
function unknownModelError(registry: Registry, id: string, kind: ModelKind): AppError {
  const others = registry
    .models()
    .filter((model) => model.kind === kind)
    .map((model) => `'${model.id}'`);
  const more =
    others.length > maxListedModels ? ` and ${others.length - maxListedModels} more` : "";
  const modelList =
    others.length === 0
      ? ""
      : ` Here one of these is needed: ${others.slice(0, maxListedModels).join(", ")}${more}.`;
  const match = registry.model(id);
  if (match === undefined || match.kind === "unknown")
    return new AppError(
      "unknown_model",
      `The model '${id.slice(0, 200)}' does not exist.${modelList}`,
      { param: "model" },
    );
  return new AppError("invalid_value", `The model '${id}' ${verbByKind[match.kind]}.${modelList}`, {
    param: "model",
  });
}
