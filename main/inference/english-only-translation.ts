// Translation into English by a model that only transcribes: English speech is its own translation, anything else is
// refused. An English model makes up English for other languages, but it is unsure of every word; one that knows more says
// what language it heard.

import { AppError } from "../contract/errors.ts";
import { languageName } from "../contract/languages.ts";
import type { Transcript, TranscriptionEvent, TranscriptionJob } from "../contract/speech.ts";
import { meanLogprob } from "./mean-logprob.ts";

/**
 * Below this mean log-probability a text is taken for made up. Measured with Moonshine base: English clips, also
 * over the telephone and with noise, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const minAvgLogprob = -0.25;

export type EnglishOnlyOptions = {
  /** What the model hears. */
  languages: readonly string[];
  /** The models to name where it is not English. */
  translators: readonly string[];
  /** Begins a transcription. */
  transcribe(job: TranscriptionJob): AsyncIterable<TranscriptionEvent>;
};

/**
 * Passes the events of the transcription on, its text only once it is known to be English.
 * @throws AppError `unsupported_language` where the speech is not English; a job that says it is, is believed
 */
export async function* translateByTranscribing(
  job: TranscriptionJob,
  { languages, translators, transcribe }: EnglishOnlyOptions,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const refuse = (why: string, param: string): never => {
    const alternatives =
      translators.length === 0 ? "" : ` (${translators.join(" or ")} translates other languages)`;
    throw new AppError(
      "unsupported_language",
      `${why}, and this model does not translate${alternatives}.`,
      { param },
    );
  };
  if (job.language !== undefined && job.language !== "en")
    refuse(`The speech is ${languageName(job.language)}`, "language");
  const bufferedSegments: TranscriptionEvent[] = [];
  for await (const event of transcribe({ ...job, task: "transcribe" })) {
    if (event.type === "segment" && job.language === undefined) bufferedSegments.push(event);
    else {
      if (event.type === "done") {
        if (job.language === undefined && !isProbablyEnglish(event.transcript, languages))
          refuse("The speech does not sound like English", "file");
        yield* bufferedSegments;
      }
      yield event;
    }
  }
}

function isProbablyEnglish(
  { language, segments }: Transcript,
  languages: readonly string[],
): boolean {
  if (segments.length === 0) return true;
  return languages.length === 1
    ? meanLogprob(segments) >= minAvgLogprob
    : language === languageName("en");
}
