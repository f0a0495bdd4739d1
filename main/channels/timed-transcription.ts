// A provider's transcript with times, whatever its model tells: one that knows nothing but text is sent the speech in
// short stretches, each of which becomes a segment. Requests that want only text are passed on as they are.

import { AppError } from "../contract/errors.ts";
import { gapBefore, parseLanguage } from "../contract/languages.ts";
import {
  mediaPathOf,
  type Transcript,
  type TranscriptSegment,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../contract/speech.ts";
import type { Channel } from "../contract/channel.ts";
import { passes } from "./upstream-error.ts";
import type { Stretch } from "../engines/pool/media-ranges.ts";

/** Cuts the speech of a media file at pauses; each file is there until the next is asked for. */
export type CutSpeech = (
  part: { mediaPath: string; maxSec: number },
  signal: AbortSignal,
) => AsyncIterable<Stretch>;

export type TimedOptions = {
  /** Optional; default one chunk. */
  cutSpeech?: CutSpeech | undefined;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** The provider heard so much sound; told only where that is not the file once as a whole. */
  onHeard?(sec: number): void;
  /** Length of the media file, where it can be measured. */
  measureSec?(): Promise<number> | undefined;
};

/** A stretch becomes one segment. */
export const maxSegmentSec = 30;
/** A stretch that failed is sent again after these waits: starting over would pay for all before it once more. */
const retryAfterMs: readonly number[] = [500, 2_000];
const maxRetryAfterSec = 20;

/** How often in a row each model answered without times. Forgotten with the channel, which is made anew when it is changed. */
const untimedAnswers = new WeakMap<Channel, Map<string, number>>();
/** One answer may be an accident; a refusal is none. */
const untimedUntilTextOnly = 2;

/** @param job its `model` is the channel's own id */
export async function* transcribeTimed(
  channel: Channel,
  job: TranscriptionJob,
  options: TimedOptions,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  if (job.textOnly === true) {
    yield* channel.transcribe(job, signal);
    return;
  }
  const untimedOf = untimedAnswers.get(channel) ?? new Map<string, number>();
  untimedAnswers.set(channel, untimedOf);
  const untimedSoFar = untimedOf.get(job.model) ?? 0;
  if (untimedSoFar < untimedUntilTextOnly) {
    const untimed = yield* untilUntimed(channel, job, signal);
    if (untimed === undefined) {
      untimedOf.delete(job.model);
      return;
    }
    untimedOf.set(job.model, untimed === "refused" ? untimedUntilTextOnly : untimedSoFar + 1);
    if (untimed !== "refused") {
      const durationSec =
        untimed.durationSec || (await options.measureSec?.()?.catch(() => 0)) || 0;
      if (durationSec <= maxSegmentSec || options.cutSpeech === undefined) {
        yield* whole({ ...untimed, durationSec }, job);
        return;
      }
      options.onHeard?.(durationSec);
    }
  }
  if (options.cutSpeech === undefined) yield* asText(channel, job, signal);
  else yield* inStretches(channel, job, { ...options, cutSpeech: options.cutSpeech }, signal);
}

/** Passes events on. @returns what came where it has no times; `refused` where the provider does not give them; else nothing */
async function* untilUntimed(
  channel: Channel,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, Transcript | "refused" | undefined, undefined> {
  let hasToldText = false;
  try {
    for await (const event of channel.transcribe(job, signal)) {
      const lacksTimes =
        event.type === "done" &&
        event.transcript.segments.length === 0 &&
        event.transcript.text.trim() !== "";
      // What a client was sent cannot be told in another way any more.
      if (lacksTimes && !hasToldText) return event.transcript;
      if (event.type === "text" && job.stream !== true) continue;
      hasToldText ||= event.type === "text";
      yield event;
    }
    return undefined;
  } catch (error) {
    if (refusesTimes(error)) return "refused";
    throw error;
  }
}

const refusesTimes = (error: unknown): boolean =>
  error instanceof AppError &&
  [400, 422].includes(error.row.status) &&
  /response_format|verbose_json|timestamp_granularities/.test(`${error.param} ${error.message}`);

const textJob = (job: TranscriptionJob): TranscriptionJob => ({
  ...job,
  wordTimes: false,
  textOnly: true,
  stream: false,
});

async function* asText(
  channel: Channel,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  for await (const event of channel.transcribe(textJob(job), signal))
    if (event.type === "done") yield* whole(event.transcript, job);
}

/** Text of unknown length stays without a segment: its reader may know better. */
function* whole(
  transcript: Transcript,
  job: TranscriptionJob,
): Generator<TranscriptionEvent, void, undefined> {
  const { text, durationSec } = transcript;
  const segments =
    text.trim() === "" || durationSec <= 0
      ? []
      : [segmentOf(text, { fromSec: 0, toSec: durationSec }, languageOf(transcript, job))];
  for (const segment of segments) yield { type: "segment", segment };
  yield { type: "done", transcript: { ...transcript, segments } };
}

async function* inStretches(
  channel: Channel,
  job: TranscriptionJob,
  options: TimedOptions & { cutSpeech: CutSpeech },
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const segments: TranscriptSegment[] = [];
  let heardSec = 0;
  let language = "";
  let text = "";
  for await (const stretch of options.cutSpeech(
    { mediaPath: await mediaPathOf(job), maxSec: maxSegmentSec },
    signal,
  )) {
    // Nothing was paid before the first answer: whoever asked may try again, or elsewhere.
    const waits = heardSec === 0 ? [] : retryAfterMs;
    const transcript = await textOfStretch(channel, job, { stretch, waits, options }, signal);
    heardSec = stretch.toSec;
    language ||= transcript.language;
    const segment = segmentOf(transcript.text, stretch, languageOf(transcript, job));
    if (segment.text !== "") {
      text += (text === "" ? "" : gapBefore(segment.language)) + segment.text;
      segments.push(segment);
      yield { type: "segment", segment };
    }
    yield { type: "progress", heardSec, durationSec: undefined };
  }
  const durationSec = (await options.measureSec?.()?.catch(() => 0)) || heardSec;
  yield { type: "done", transcript: { language, durationSec, text, segments, failed: [] } };
}

type Asking = { stretch: Stretch; waits: readonly number[]; options: TimedOptions };

async function textOfStretch(
  channel: Channel,
  job: TranscriptionJob,
  { stretch: { path, fromSec, toSec }, waits, options }: Asking,
  signal: AbortSignal,
): Promise<Transcript> {
  const { mediaBytes: _, ...rest } = textJob(job);
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const event of channel.transcribe({ ...rest, mediaPath: path }, signal)) {
        if (event.type !== "done") continue;
        options.onHeard?.(toSec - fromSec);
        return event.transcript;
      }
      throw new Error("the channel ended without a transcript");
    } catch (error) {
      if (signal.aborted || (error instanceof AppError && error.mayBeCharged))
        options.onHeard?.(toSec - fromSec);
      const waitMs = waits[failures];
      const canRetry =
        error instanceof AppError &&
        passes(error) &&
        !signal.aborted &&
        (error.retryAfterSec ?? 0) <= maxRetryAfterSec;
      if (waitMs === undefined || !canRetry) throw error;
      await options.wait(Math.max(waitMs, (error.retryAfterSec ?? 0) * 1000), signal);
    }
  }
}

/** ISO-639-1; empty where nobody told. */
const languageOf = ({ language }: Transcript, job: TranscriptionJob): string =>
  job.task === "translate" ? "en" : (parseLanguage(language) ?? job.language ?? "");

/** What only the model knows is neutral. */
const segmentOf = (
  text: string,
  { fromSec, toSec }: { fromSec: number; toSec: number },
  language: string,
): TranscriptSegment => ({
  startSec: fromSec,
  endSec: toSec,
  text: text.trim(),
  tokens: [],
  temperature: 0,
  avgLogprob: 0,
  compressionRatio: 1,
  noSpeechProb: 0,
  seekFrames: Math.round(fromSec * 100),
  language,
});
