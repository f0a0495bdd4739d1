// Sends one transcription request through the router, records its usage, and converts the result to segments of a
// document.

import {
  clientClosedStatus,
  durationWithoutHelpersSec,
  type Metering,
} from "../../usage/metering.ts";
import type { Router } from "../../channels/router.ts";
import { AppError } from "../../contract/errors.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type {
  TranscriptSegment,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../contract/speech.ts";
import type { TranscribeOptions } from "../../contract/studio.ts";
import type { TranscribedSegment } from "../../library/documents.ts";

export type MeteredTranscribeDeps = { router: Router; metering: Metering };
/** Called before audio is sent to a channel. */
export type OnChannelSelected = (channel: string) => void;

/** `channels`: those that transcribed the audio or parts of it. */
export type MeteredEvent = { event: TranscriptionEvent; channels: readonly string[] };

/** @throws AppError, see `Router.transcribe` */
export async function* meteredTranscribe(
  { router, metering }: MeteredTranscribeDeps,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<MeteredEvent, void, undefined> {
  const meter = metering.start(
    "window",
    job.task === "translate" ? "translations" : "transcriptions",
  );
  const { metered } = meter;
  metered.model = job.model;
  let status: number = clientClosedStatus;
  try {
    for await (const event of router.transcribe(
      { ...job, callerId: "window" },
      metered.trace,
      signal,
    )) {
      if (event.type === "progress") metered.audioSec = event.processedSec;
      if (event.type === "done") {
        metered.audioSec = durationWithoutHelpersSec(event.transcript);
        metered.helpers = event.transcript.helpers?.map(({ channel }) => channel) ?? [];
        status = 200;
      }
      yield {
        event,
        channels:
          metered.trace.channel === undefined ? [] : [metered.trace.channel, ...metered.helpers],
      };
    }
  } catch (error) {
    if (!signal.aborted) status = error instanceof AppError ? error.row.status : 500;
    throw error;
  } finally {
    meter.end(status);
  }
}

export function toTranscriptionJob(
  { model, language, prompt, temperature, translate }: TranscribeOptions,
  mediaPath: string,
): TranscriptionJob {
  const languageCode = language === undefined ? undefined : parseLanguage(language);
  if (language !== undefined && languageCode === undefined)
    throw new AppError(
      "language.unknown",
      { language: language.slice(0, 40) },
      { param: "language" },
    );
  return {
    task: translate ? "translate" : "transcribe",
    model,
    mediaPath,
    temperature,
    wordTimes: true,
    ...(languageCode === undefined ? {} : { language: languageCode }),
    ...(prompt === undefined || prompt === "" ? {} : { prompt }),
  };
}

/** Position of the audio in the whole file, and the language of segments that have none. */
export type SegmentContext = {
  fromSec: number;
  /** Omitted if unknown. */ toSec?: number | undefined;
  language?: string | undefined;
};

/** Clamped, since some providers return times beyond the end of the file. */
const toFileSec = (sec: number, { fromSec, toSec = Infinity }: SegmentContext): number =>
  Math.min(Math.max(sec, 0) + fromSec, toSec);

export function toTranscribedSegment(
  segment: TranscriptSegment,
  context: SegmentContext,
): TranscribedSegment {
  const { text, words = [], language, avgLogprob, noSpeechProb, compressionRatio } = segment;
  return {
    startSec: toFileSec(segment.startSec, context),
    endSec: toFileSec(segment.endSec, context),
    text: text.trim(),
    words: words.map((word) => ({
      ...word,
      startSec: toFileSec(word.startSec, context),
      endSec: toFileSec(word.endSec, context),
    })),
    language: language === "" ? (context.language ?? "") : language,
    avgLogprob,
    noSpeechProb,
    compressionRatio,
    isEdited: false,
  };
}

/** Text without timestamps. */
export const toUntimedSegment = (
  text: string,
  fromSec: number,
  toSec: number,
  language = "",
): TranscribedSegment => ({
  startSec: fromSec,
  endSec: toSec,
  text: text.trim(),
  words: [],
  language,
  avgLogprob: 0,
  noSpeechProb: 0,
  compressionRatio: 1,
  isEdited: false,
});
