// One request for the words of a file, through the router like anybody else's, kept in the usage; and what comes of it
// as segments of a document.

import { clientLeft, heardHereSec, type Metering } from "../../usage/metering.ts";
import type { Router } from "../../channels/router.ts";
import { AppError } from "../../contract/errors.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type {
  TranscriptSegment,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../contract/speech.ts";
import type { TranscribeOptions } from "../../contract/studio.ts";
import type { HeardSegment } from "../../library/documents.ts";

export type Asking = { router: Router; metering: Metering };
/** Told of whoever is about to be given the sound. */
export type OnAsked = (channel: string) => void;

/** `channels` heard it, or parts of it. */
export type Told = { event: TranscriptionEvent; channels: readonly string[] };

/** @throws AppError as the router does */
export async function* ask(
  { router, metering }: Asking,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<Told, void, undefined> {
  const meter = metering.start(
    "window",
    job.task === "translate" ? "translations" : "transcriptions",
  );
  const { metered } = meter;
  metered.model = job.model;
  let status: number = clientLeft;
  try {
    for await (const event of router.transcribe(
      { ...job, askedBy: "window" },
      metered.served,
      signal,
    )) {
      if (event.type === "progress") metered.audioSec = event.heardSec;
      if (event.type === "done") {
        metered.audioSec = heardHereSec(event.transcript);
        metered.helpers = event.transcript.helpers?.map(({ channel }) => channel) ?? [];
        status = 200;
      }
      yield {
        event,
        channels:
          metered.served.channel === undefined ? [] : [metered.served.channel, ...metered.helpers],
      };
    }
  } catch (error) {
    if (!signal.aborted) status = error instanceof AppError ? error.row.status : 500;
    throw error;
  } finally {
    meter.end(status);
  }
}

export function jobFor(
  { model, language, prompt, temperature, translate }: TranscribeOptions,
  mediaPath: string,
): TranscriptionJob {
  const code = language === undefined ? undefined : parseLanguage(language);
  if (language !== undefined && code === undefined)
    throw new AppError(
      "invalid_value",
      `'${language.slice(0, 40)}' is no language that is known here.`,
      { param: "language" },
    );
  return {
    task: translate ? "translate" : "transcribe",
    model,
    mediaPath,
    temperature,
    wordTimes: true,
    ...(code === undefined ? {} : { language: code }),
    ...(prompt === undefined || prompt === "" ? {} : { prompt }),
  };
}

/** Where what was heard lies in the whole, and the language it is taken for where nobody told one. */
export type Place = {
  fromSec: number;
  /** Omitted if unknown. */ toSec?: number | undefined;
  language?: string | undefined;
};

/** Some providers tell ends that lie behind the file's. */
const placed = (sec: number, { fromSec, toSec = Infinity }: Place): number =>
  Math.min(Math.max(sec, 0) + fromSec, toSec);

export function heardSegment(segment: TranscriptSegment, place: Place): HeardSegment {
  const { text, words = [], language, avgLogprob, noSpeechProb, compressionRatio } = segment;
  return {
    startSec: placed(segment.startSec, place),
    endSec: placed(segment.endSec, place),
    text: text.trim(),
    words: words.map((word) => ({
      ...word,
      startSec: placed(word.startSec, place),
      endSec: placed(word.endSec, place),
    })),
    language: language === "" ? (place.language ?? "") : language,
    avgLogprob,
    noSpeechProb,
    compressionRatio,
    isEdited: false,
  };
}

/** Text that came without times. */
export const textSegment = (
  text: string,
  fromSec: number,
  toSec: number,
  language = "",
): HeardSegment => ({
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
