// Translation into English with a model that only transcribes: English speech is its own translation, other languages
// are refused. An English-only model invents English for other languages, with low confidence in every word; a
// multilingual model returns the language.

import { AppError } from "../contract/errors.ts";
import { languageName } from "../contract/languages.ts";
import { createMessage } from "../contract/messages/messages.ts";
import type { SentMessage } from "../contract/messages/messages.ts";
import type { Transcript, TranscriptionEvent, TranscriptionJob } from "../contract/speech.ts";
import { meanLogprob } from "./mean-logprob.ts";

/**
 * Below this mean log-probability a text counts as invented. Measured with Moonshine base: English clips, also over the
 * telephone and with noise, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const minAvgLogprob = -0.25;

export type EnglishOnlyOptions = {
  /** Languages the model can transcribe. */
  languages: readonly string[];
  /** Models to suggest in the error if the speech is not English. */
  translators: readonly string[];
  transcribe(job: TranscriptionJob): AsyncIterable<TranscriptionEvent>;
};

/**
 * Forwards the transcription's events, but text only once it is known to be English.
 * @throws AppError `unsupported_language` if the speech is not English; a language given in the job is not checked
 */
export async function* translateByTranscribing(
  job: TranscriptionJob,
  { languages, translators, transcribe }: EnglishOnlyOptions,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const refuse = (why: SentMessage, param: string): never => {
    const others =
      translators.length === 0
        ? ""
        : createMessage("language.translators", { models: translators.join(" or ") });
    throw new AppError("language.noTranslation", { why, others }, { param });
  };
  if (job.language !== undefined && job.language !== "en")
    refuse(createMessage("language.is", { language: languageName(job.language) }), "language");
  const bufferedSegments: TranscriptionEvent[] = [];
  for await (const event of transcribe({ ...job, task: "transcribe" })) {
    if (event.type === "segment" && job.language === undefined) bufferedSegments.push(event);
    else {
      if (event.type === "done") {
        if (job.language === undefined && !isProbablyEnglish(event.transcript, languages))
          refuse(createMessage("language.notEnglish"), "file");
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
