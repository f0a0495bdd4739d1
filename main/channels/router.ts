// Serves a request by whoever can: one channel after the other until one has begun to answer. The order is
// attempt-plan.ts's, what is worth another try attempts.ts's; a channel itself tries once.

import type { Admission, Asked, Served } from "../usage/served.ts";
import { setTimeout as pause } from "node:timers/promises";
import type { Routing } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import {
  mediaPathOf,
  type SpeechChunk,
  type SpeechJob,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../contract/speech.ts";
import { planAttempts, type Kind } from "./attempt-plan.ts";
import { createAttempts, type AttemptsDeps } from "./attempts.ts";
import type { Channel } from "../contract/channel.ts";
import type { Health } from "./health.ts";
import { type MeasureMedia, withDuration, withMadeSec } from "../usage/audio-duration.ts";
import type { Offer, Registry } from "./registry.ts";
import { type CutSpeech, transcribeTimed } from "./timed-transcription.ts";

export type RouterDeps = Partial<AttemptsDeps> & {
  registry: Registry;
  routing(): Routing;
  /** Voice asked for → voice to take where a channel does not have that one. */
  voiceAliases?: ReadonlyMap<string, string>;
  /** Seconds of a media file: asked where a provider does not tell them. */
  mediaSec?: MeasureMedia;
  /** Optional; without it, a provider's text without times gets none. */
  cutSpeech?: CutSpeech;
  /** For speech whose length only decoding tells; optional; without it, it stays unknown. */
  tempDir?: () => string;
};

/** A job's `model` is a name as clients write it. Leaving a loop or aborting ends what runs for it. */
export interface Router {
  /** @throws AppError where nothing of that name does this */
  check(model: string, kind: Kind): void;
  /** This machine would be asked first. @throws AppError where nothing of that name does this */
  isLocal(model: string, kind: Kind): boolean;
  /** Unless the job asks for a stream, nothing but progress is told before all is heard: until then another may take over. */
  transcribe(
    job: TranscriptionJob,
    served: Served,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptionEvent, void, undefined>;
  /** Nobody takes over once the first bytes are told. */
  speak(
    job: SpeechJob,
    served: Served,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechChunk, void, undefined>;
}

/** How a request is put to whoever serves it. */
type Asking<Event> = {
  ask(offer: Offer, asked: Asked, admission: Admission | undefined): AsyncIterable<Event>;
  /** Exact length of the sound to be heard. */
  measureSec?: (() => Promise<number>) | undefined;
};

/** What the events of an answer mean. */
type Signs<Event> = {
  /** The client is sent something. */
  begins(event: Event): boolean;
  /** All went well, although the iteration may go on. */
  completes(event: Event): boolean;
};

const hearing: Signs<TranscriptionEvent> = {
  begins: ({ type }) => type !== "progress",
  completes: ({ type }) => type === "done",
};
const speaking: Signs<SpeechChunk> = {
  begins: ({ bytes }) => bytes.length > 0,
  completes: () => false,
};

const waitAwhile = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal });

export function createRouter({
  registry,
  routing,
  voiceAliases = new Map(),
  mediaSec,
  cutSpeech,
  tempDir,
  random = Math.random,
  now = () => performance.now(),
  wait = waitAwhile,
}: RouterDeps): Router {
  function offersFor(model: string, kind: Kind): readonly Offer[] {
    const offers = planAttempts({ registry, routing: routing(), random }, model, kind);
    if (offers.length === 0) throw noSuchModel(registry, model, kind);
    return offers;
  }

  async function* serve<Event>(
    offers: readonly Offer[],
    { ask, measureSec }: Asking<Event>,
    { begins, completes }: Signs<Event>,
    served: Served,
    signal: AbortSignal,
  ): AsyncGenerator<Event, void, undefined> {
    const attempts = createAttempts(offers, { now, random, wait });
    const blamed = new Set<Health>();
    for (;;) {
      const { offer, ticket } = await attempts.next(signal);
      const {
        channel,
        info,
        registered: { health, isPaid = false },
      } = offer;
      const asked: Asked = { channel: channel.name, model: info.id, isPaid, hasFailed: false };
      let admission: Admission | undefined;
      try {
        admission = await served.admit?.(asked, measureSec);
        signal.throwIfAborted();
      } catch (error) {
        // Nothing was learned about the channel, which was not asked.
        ticket.left();
        if (!(error instanceof AppError)) throw error;
        attempts.failed(offer, error);
        continue;
      }
      served.asked = asked;
      // Whoever does not read what it was told holds this loop up.
      signal.addEventListener("abort", ticket.left);
      let begun = false;
      /** The client has the latest event: what is thrown now comes of its leaving. */
      let handedOut = false;
      served.attempts += 1;
      try {
        for await (const event of ask(offer, asked, admission)) {
          if (!begun && begins(event)) {
            begun = true;
            ticket.began();
            Object.assign(served, { channel: asked.channel, model: asked.model, isPaid });
          }
          if (completes(event)) ticket.succeeded();
          handedOut = true;
          yield event;
          handedOut = false;
        }
        ticket.succeeded();
        return;
      } catch (error) {
        if (handedOut || signal.aborted || !(error instanceof AppError)) throw error;
        // This machine's own engines are always worth asking. And one request counts once: it may itself be the reason.
        const isDown = error.row.status >= 500 && !channel.isLocal;
        ticket.failed(error, isDown && blamed.has(health) ? undefined : isDown);
        if (isDown) blamed.add(health);
        if (begun) throw error;
        const isCharged = isPaid && (error.mayBeCharged || (asked.heardSec ?? 0) > 0);
        if (isCharged) served.charged = [...(served.charged ?? []), asked];
        asked.hasFailed = !isCharged;
        attempts.failed(offer, error);
      } finally {
        signal.removeEventListener("abort", ticket.left);
        ticket.left();
      }
    }
  }

  function hearUpstream(
    channel: Channel,
    job: TranscriptionJob,
    asked: Asked,
    signal: AbortSignal,
  ): AsyncIterable<TranscriptionEvent> {
    const measure =
      mediaSec && (async (until: AbortSignal) => mediaSec(await mediaPathOf(job), until));
    const events = transcribeTimed(
      channel,
      job,
      {
        cutSpeech,
        wait,
        onHeard: (sec) => (asked.heardSec = (asked.heardSec ?? 0) + sec),
        measureSec: () => measure?.(signal),
      },
      signal,
    );
    return measure === undefined ? events : withDuration(events, measure, asked, signal);
  }

  return {
    check: (model, kind) => void offersFor(model, kind),
    isLocal: (model, kind) => offersFor(model, kind)[0]?.channel.isLocal === true,
    async *transcribe(job, served, signal) {
      const offers = offersFor(job.model, "speech-to-text");
      let exactSec: Promise<number> | undefined;
      const measureSec =
        mediaSec &&
        (() =>
          (exactSec ??= mediaPathOf(job).then((path) =>
            mediaSec(path, signal, { isExact: true }),
          )));
      const ask = (
        { channel, channelModel }: Offer,
        asked: Asked,
      ): AsyncIterable<TranscriptionEvent> => {
        job.onAsked?.(channel.name);
        const own = { ...job, model: channelModel };
        const events = channel.isLocal
          ? channel.transcribe(own, signal)
          : hearUpstream(channel, own, asked, signal);
        return job.stream === true ? events : allAtOnce(events);
      };
      yield* serve(offers, { ask, measureSec }, hearing, served, signal);
    },
    async *speak(job, served, signal) {
      const offers = offersFor(job.model, "text-to-speech");
      const voices = new Map(
        offers.flatMap((offer) => {
          const voice = voiceOf(offer, job.voice, voiceAliases);
          return voice === undefined ? [] : [[offer, voice] as const];
        }),
      );
      if (voices.size === 0) throw noSuchVoice(offers, job.voice);
      const ask = (
        offer: Offer,
        asked: Asked,
        admission: Admission | undefined,
      ): AsyncIterable<SpeechChunk> => {
        job.onAsked?.(offer.channel.name);
        const chunks = offer.channel.speak(
          { ...job, model: offer.channelModel, voice: voices.get(offer) ?? job.voice },
          signal,
        );
        // Samples without a header tell their length by their number.
        const mustMeasure = admission?.needsMadeSec === true && job.format !== "pcm";
        return mustMeasure && mediaSec !== undefined && tempDir !== undefined
          ? withMadeSec(chunks, asked, { mediaSec, tempDir })
          : chunks;
      };
      yield* serve([...voices.keys()], { ask }, speaking, served, signal);
    },
  };
}

/** Progress as it comes, everything else once the last of it is there. */
async function* allAtOnce(
  events: AsyncIterable<TranscriptionEvent>,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const held: TranscriptionEvent[] = [];
  for await (const event of events) {
    if (event.type === "progress") yield event;
    else held.push(event);
    if (event.type === "done") yield* held;
  }
}

/** undefined where the channel cannot speak with it. A channel that knows no voices by name takes any. */
function voiceOf(
  { channel }: Offer,
  asked: string,
  aliases: ReadonlyMap<string, string>,
): string | undefined {
  const voices = channel.voices();
  if (voices.length === 0) return asked;
  return [asked, aliases.get(asked)].find((voice) => voices.some(({ id }) => id === voice));
}

function noSuchVoice(offers: readonly Offer[], asked: string): AppError {
  const names = new Set(
    offers.flatMap(({ channel }) => channel.voices().map(({ id }) => `'${id}'`)),
  );
  return new AppError(
    "unsupported_value",
    `'voice' must be one of ${[...names].join(", ")}; '${asked.slice(0, 40)}' was given.`,
    { param: "voice" },
  );
}

/** A provider may have hundreds of models. */
const maxNamed = 20;
const does = { "speech-to-text": "hears", "text-to-speech": "speaks" } as const;

/** The error tells which models could have been named. */
function noSuchModel(registry: Registry, id: string, kind: Kind): AppError {
  const others = registry
    .models()
    .filter((model) => model.kind === kind)
    .map((model) => `'${model.id}'`);
  const more = others.length > maxNamed ? ` and ${others.length - maxNamed} more` : "";
  const known =
    others.length === 0
      ? ""
      : ` Here one of these is needed: ${others.slice(0, maxNamed).join(", ")}${more}.`;
  const found = registry.model(id);
  if (found === undefined || found.kind === "unknown")
    return new AppError(
      "unknown_model",
      `The model '${id.slice(0, 200)}' does not exist.${known}`,
      { param: "model" },
    );
  return new AppError("invalid_value", `The model '${id}' ${does[found.kind]}.${known}`, {
    param: "model",
  });
}
