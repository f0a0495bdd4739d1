// How a job is sent to the channel of an offer: under the channel's own names, with times and durations that a provider
// leaves out.

import type { Channel, OnSending } from "../contract/channel.ts";
import type {
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
} from "../contract/speech.ts";
import { mediaFile } from "../storage/media-file.ts";
import { addAudioDuration, addMediaDuration, type MeasureMedia } from "../usage/audio-duration.ts";
import type { ChannelAttempt } from "../usage/request-cost.ts";
import type { AttemptSender } from "./attempt-loop.ts";
import type { Offer } from "./registry.ts";
import { type SplitSpeech, transcribeTimed } from "./timed-transcription.ts";

export type SenderDeps = {
  /** Duration of a media file in seconds, used if a provider does not report it. */
  measureMediaSec?: MeasureMedia | undefined;
  /** Without it, a provider's text without times gets no times. */
  splitSpeech?: SplitSpeech | undefined;
  /** For audio whose duration only decoding can tell; without it, that stays unknown. */
  tempDir?: (() => string) | undefined;
};

type SendDeps = SenderDeps & { wait(ms: number, signal: AbortSignal): Promise<void> };
type SendOptions = {
  signal: AbortSignal;
  /** See RequestOptions in router.ts. */
  onSentTo?: ((channel: string) => void) | undefined;
};

/**
 * A channel on this machine gets the job at once, which is reported here; a provider only if it can be reached.
 * @returns what reports that, for the provider's channel
 */
const reportSending = (
  { name, isLocal }: Channel,
  onSentTo: SendOptions["onSentTo"],
): OnSending | undefined => {
  if (isLocal) onSentTo?.(name);
  return isLocal || onSentTo === undefined ? undefined : () => onSentTo(name);
};

export function createTranscriptionSender(
  deps: SendDeps,
  job: TranscriptionJob,
  { signal, onSentTo }: SendOptions,
): AttemptSender<TranscriptionEvent> {
  const { measureMediaSec } = deps;
  let exactSec: Promise<number> | undefined;
  return {
    send({ channel, channelModel }, channelAttempt) {
      const channelJob = { ...job, model: channelModel };
      const onSending = reportSending(channel, onSentTo);
      const events = channel.isLocal
        ? channel.transcribe(channelJob, signal)
        : transcribeUpstream(deps, channel, channelJob, channelAttempt, { signal, onSending });
      return job.stream === true ? events : bufferUntilDone(events);
    },
    measureSec:
      measureMediaSec &&
      (() =>
        (exactSec ??= mediaFile(job).then((path) =>
          measureMediaSec(path, signal, { isExact: true }),
        ))),
  };
}

function transcribeUpstream(
  { measureMediaSec, splitSpeech, wait }: SendDeps,
  channel: Channel,
  job: TranscriptionJob,
  channelAttempt: ChannelAttempt,
  { signal, onSending }: { signal: AbortSignal; onSending: OnSending | undefined },
): AsyncIterable<TranscriptionEvent> {
  const measure =
    measureMediaSec &&
    (async (stopSignal: AbortSignal) => measureMediaSec(await mediaFile(job), stopSignal));
  const events = transcribeTimed(
    channel,
    job,
    {
      splitSpeech,
      wait,
      onProcessed: (sec) =>
        (channelAttempt.processedSec = (channelAttempt.processedSec ?? 0) + sec),
      measureSec: () => measure?.(signal),
      onSending,
    },
    signal,
  );
  return measure === undefined ? events : addMediaDuration(events, measure, channelAttempt, signal);
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

/** @param voices the voice that stands for the requested one, by offer */
export function createSpeechSender(
  { measureMediaSec, tempDir }: SendDeps,
  job: SpeechJob,
  voices: ReadonlyMap<Offer, string>,
  { signal, onSentTo }: SendOptions,
): AttemptSender<SpeechChunk> {
  return {
    send(offer, channelAttempt, { needsAudioSec }) {
      const { channel, channelModel } = offer;
      const voice = voices.get(offer) ?? job.voice;
      const chunks = channel.synthesize(
        { ...job, model: channelModel, voice },
        signal,
        reportSending(channel, onSentTo),
      );
      // For headerless samples, the byte count gives the duration.
      return needsAudioSec &&
        job.format !== "pcm" &&
        measureMediaSec !== undefined &&
        tempDir !== undefined
        ? addAudioDuration(chunks, channelAttempt, { mediaSec: measureMediaSec, tempDir })
        : chunks;
    },
  };
}
