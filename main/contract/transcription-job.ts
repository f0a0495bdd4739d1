// Makes the job of every transcription, whoever asks for it: /v1, the library, live text, the check of a narration, the
// command line, the test of a channel.

import { AppError } from "./errors.ts";
import { parseLanguage } from "./languages.ts";
import type { TranscriptionJob } from "./speech.ts";

/** What is asked for; the rest gets its default. */
type TranscriptionRequest = Pick<TranscriptionJob, "model" | "mediaPath"> &
  Partial<Omit<TranscriptionJob, "language" | "prompt">> & {
    /** A code or an English name. */
    language?: string | undefined;
    prompt?: string | undefined;
  };

/** @throws AppError if the language is unknown */
export function createTranscriptionJob({
  language,
  prompt = "",
  ...request
}: TranscriptionRequest): TranscriptionJob {
  const languageCode = language === undefined ? undefined : parseLanguage(language);
  if (language !== undefined && languageCode === undefined)
    throw new AppError(
      "request.language",
      { language: language.slice(0, 40) },
      { param: "language" },
    );
  return {
    task: "transcribe",
    temperature: 0,
    wordTimes: false,
    ...request,
    ...(languageCode === undefined ? {} : { language: languageCode }),
    ...(prompt === "" ? {} : { prompt }),
  };
}
