// Gives every provider's transcript times. To a model that returns text only, this sends the speech in short chunks;
// each becomes a segment. Requests for text only are forwarded unchanged.

import { AppError } from "../contract/errors.ts";
import { parseLanguage } from "../contract/languages.ts";
import {
  type AudioPart,
  type Transcript,
  type TranscriptSegment,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../contract/speech.ts";
import { createTextSegment, joinSegments } from "../contract/transcript.ts";
import type { Channel, OnSending } from "../contract/channel.ts";
import { mediaFile } from "../storage/media-file.ts";
import { isTransient } from "./upstream-error.ts";

/** Cuts a media file's speech at pauses. Each file exists until the next one is requested. */
export type SplitSpeech = (
  part: { mediaPath: string; maxSec: number },
  signal: AbortSignal,
) => AsyncIterable<AudioPart>;

export type TimedOptions = {
  /** Omitted: the file is one chunk. */
  splitSpeech?: SplitSpeech | undefined;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Reports processed seconds; called only if the provider did not process the whole file exactly once. */
  onProcessed?(sec: number): void;
  /** Duration of the media file, if it can be measured. */
  measureSec?(): Promise<number> | undefined;
  onSending?: OnSending | undefined;
};

/** Maximum duration of a chunk; a chunk becomes one segment. */
export const maxSegmentSec = 30;
/** Delays before retries of a failed chunk: restarting the file would pay for all earlier chunks again. */
const retryDelaysMs: readonly number[] = [500, 2_000];
const maxRetryAfterSec = 20;

/** Consecutive responses without times, per model. Lost when the channel changes, since that creates a new object. */
const untimedResponseCounts = new WeakMap<Channel, Map<string, number>>();
/** A single response without times may be an accident; a refusal counts as this many at once. */
const maxUntimedResponses = 2;

/** @param job its `model` is the channel's own id */
export async function* transcribeTimed(
  channel: Channel,
  job: TranscriptionJob,
  options: TimedOptions,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  if (job.textOnly === true) {
    yield* channel.transcribe(job, signal, options.onSending);
    return;
  }
  const untimedCounts = untimedResponseCounts.get(channel) ?? new Map<string, number>();
  untimedResponseCounts.set(channel, untimedCounts);
  const untimedCount = untimedCounts.get(job.model) ?? 0;
  if (untimedCount < maxUntimedResponses) {
    const untimedResult = yield* relayUntilUntimed(channel, job, options, signal);
    if (untimedResult === undefined) {
      untimedCounts.delete(job.model);
      return;
    }
    untimedCounts.set(
      job.model,
      untimedResult === "refused" ? maxUntimedResponses : untimedCount + 1,
    );
    if (untimedResult !== "refused") {
      const durationSec =
        untimedResult.durationSec || (await options.measureSec?.()?.catch(() => 0)) || 0;
      if (durationSec <= maxSegmentSec || options.splitSpeech === undefined) {
        yield* emitSingleSegment({ ...untimedResult, durationSec }, job);
        return;
      }
      options.onProcessed?.(durationSec);
    }
  }
  if (options.splitSpeech === undefined) yield* transcribeAsText(channel, job, options, signal);
  else
    yield* transcribeInParts(
      channel,
      job,
      { ...options, splitSpeech: options.splitSpeech },
      signal,
    );
}

/**
 * Forwards events.
 * @returns the transcript if it has no times; `refused` if the provider rejects the request for times; else undefined
 */
async function* relayUntilUntimed(
  channel: Channel,
  job: TranscriptionJob,
  { onSending }: TimedOptions,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, Transcript | "refused" | undefined, undefined> {
  let hasSentText = false;
  try {
    for await (const event of channel.transcribe(job, signal, onSending)) {
      const lacksTimes =
        event.type === "done" &&
        event.transcript.segments.length === 0 &&
        event.transcript.text.trim() !== "";
      // Text already sent to a client cannot be replaced.
      if (lacksTimes && !hasSentText) return event.transcript;
      if (event.type === "text" && job.stream !== true) continue;
      hasSentText ||= event.type === "text";
      yield event;
    }
    return undefined;
  } catch (error) {
    if (isTimestampRefusal(error)) return "refused";
    throw error;
  }
}

const isTimestampRefusal = (error: unknown): boolean =>
  error instanceof AppError &&
  [400, 422].includes(error.row.status) &&
  /response_format|verbose_json|timestamp_granularities/.test(`${error.param} ${error.message}`);

const toTextJob = (job: TranscriptionJob): TranscriptionJob => ({
  ...job,
  wordTimes: false,
  textOnly: true,
  stream: false,
});

async function* transcribeAsText(
  channel: Channel,
  job: TranscriptionJob,
  { onSending }: TimedOptions,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  for await (const event of channel.transcribe(toTextJob(job), signal, onSending))
    if (event.type === "done") yield* emitSingleSegment(event.transcript, job);
}

/** Text of unknown duration gets no segment: the caller may know the duration. */
function* emitSingleSegment(
  transcript: Transcript,
  job: TranscriptionJob,
): Generator<TranscriptionEvent, void, undefined> {
  const { text, durationSec } = transcript;
  const segments =
    text.trim() === "" || durationSec <= 0
      ? []
      : [
          createTextSegment(
            text,
            { startSec: 0, endSec: durationSec },
            languageOf(transcript, job),
          ),
        ];
  for (const segment of segments) yield { type: "segment", segment };
  yield { type: "done", transcript: { ...transcript, segments } };
}

async function* transcribeInParts(
  channel: Channel,
  job: TranscriptionJob,
  options: TimedOptions & { splitSpeech: SplitSpeech },
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const segments: TranscriptSegment[] = [];
  let processedSec = 0;
  let language = "";
  for await (const part of options.splitSpeech(
    { mediaPath: await mediaFile(job), maxSec: maxSegmentSec },
    signal,
  )) {
    // Before the first response nothing was paid, so the caller can retry or fall back itself.
    const delaysMs = processedSec === 0 ? [] : retryDelaysMs;
    const transcript = await transcribePart(channel, job, { part, delaysMs, options }, signal);
    processedSec = part.toSec;
    language ||= transcript.language;
    const span = { startSec: part.fromSec, endSec: part.toSec };
    const segment = createTextSegment(transcript.text, span, languageOf(transcript, job));
    if (segment.text !== "") {
      segments.push(segment);
      yield { type: "segment", segment };
    }
    yield { type: "progress", processedSec, durationSec: undefined };
  }
  const durationSec = (await options.measureSec?.()?.catch(() => 0)) || processedSec;
  const text = joinSegments(segments, job.task);
  yield { type: "done", transcript: { language, durationSec, text, segments, failed: [] } };
}

type PartOptions = { part: AudioPart; delaysMs: readonly number[]; options: TimedOptions };

async function transcribePart(
  channel: Channel,
  job: TranscriptionJob,
  { part: { path, fromSec, toSec }, delaysMs, options }: PartOptions,
  signal: AbortSignal,
): Promise<Transcript> {
  const { mediaBytes: _, ...rest } = toTextJob(job);
  const partJob = { ...rest, mediaPath: path };
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const event of channel.transcribe(partJob, signal, options.onSending)) {
        if (event.type !== "done") continue;
        options.onProcessed?.(toSec - fromSec);
        return event.transcript;
      }
      throw new Error("the channel ended without a transcript");
    } catch (error) {
      if (signal.aborted || (error instanceof AppError && error.mayBeCharged))
        options.onProcessed?.(toSec - fromSec);
      const waitMs = delaysMs[failures];
      const canRetry =
        error instanceof AppError &&
        isTransient(error) &&
        !signal.aborted &&
        (error.retryAfterSec ?? 0) <= maxRetryAfterSec;
      if (waitMs === undefined || !canRetry) throw error;
      await options.wait(Math.max(waitMs, (error.retryAfterSec ?? 0) * 1000), signal);
    }
  }
}

/** ISO-639-1; empty if unknown. */
const languageOf = ({ language }: Transcript, job: TranscriptionJob): string =>
  job.task === "translate" ? "en" : (parseLanguage(language) ?? job.language ?? "");
