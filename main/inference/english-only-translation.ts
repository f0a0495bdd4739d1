// Translation into English with a model that only transcribes English, which is its own translation. For other
// languages such a model invents English, with low confidence in every word: these are refused.

import { AppError } from "../contract/errors.ts";
import { createMessage } from "../contract/messages/messages.ts";
import type { Transcript, TranscriptionEvent, TranscriptionJob } from "../contract/speech.ts";
import { meanLogprob } from "./mean-logprob.ts";

/**
 * Below this mean log-probability a text counts as invented. Measured with Moonshine base: English clips, also over the
 * telephone and with noise, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const minAvgLogprob = -0.25;

export type EnglishOnlyOptions = {
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
  { translators, transcribe }: EnglishOnlyOptions,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const bufferedSegments: TranscriptionEvent[] = [];
  for await (const event of transcribe({ ...job, task: "transcribe" })) {
    if (event.type === "segment" && job.language === undefined) bufferedSegments.push(event);
    else {
      if (event.type === "done") {
        if (job.language === undefined && !isProbablyEnglish(event.transcript))
          throw new AppError(
            "language.noTranslation",
            { why: createMessage("language.notEnglish"), others: otherTranslators(translators) },
            { param: "file" },
          );
        yield* bufferedSegments;
      }
      yield event;
    }
  }
}

const isProbablyEnglish = ({ segments }: Transcript): boolean =>
  segments.length === 0 || meanLogprob(segments) >= minAvgLogprob;

/** A part of an error: names of models that do translate. */
export const otherTranslators = (translators: readonly string[]) =>
  translators.length === 0
    ? ""
    : createMessage("language.translators", { models: translators.join(" or ") });
