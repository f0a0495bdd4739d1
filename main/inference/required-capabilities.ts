// Refuses what the models that would serve a job cannot do, before anything is computed.

import { AppError } from "../contract/errors.ts";
import { formatLanguageList, languageName } from "../contract/languages.ts";
import { createMessage } from "../contract/messages/messages.ts";
import type { TranscriptionJob } from "../contract/speech.ts";
import { needsLanguage, type TranscriptionModels } from "../models/defaults.ts";
import { otherTranslators } from "./english-only-translation.ts";

export type ServingModels = {
  readonly models: TranscriptionModels;
  /** They translate, if that was asked for; others can only write down English. */
  readonly canTranslate: boolean;
  /** Names that translate, to suggest. */
  readonly translators: readonly string[];
};

/** Of more languages, an error names only the number. */
const maxListedLanguages = 10;

/** @throws AppError that names what the models cannot do */
export function requireCapabilities(job: TranscriptionJob, serving: ServingModels): void {
  checkTranslation(job, serving);
  checkLanguage(job, serving.models);
  const { model: name, language, prompt, wordTimes, isBestEffort = false } = job;
  const model = serving.models.modelFor(language);
  const { capabilities, languages } = model;
  // The models behind a name such as `whisper-1` use a prompt where they can.
  if (prompt !== undefined && model.id === name && !capabilities.prompt && !isBestEffort)
    throw new AppError("model.noPrompt", { model: model.id }, { param: "prompt" });
  if (wordTimes && !capabilities.wordTimes && !isBestEffort)
    throw new AppError(
      "model.noWordTimes",
      { model: model.id },
      { param: "timestamp_granularities" },
    );
  if (language === undefined && needsLanguage(model) && serving.models.detector === undefined)
    throw new AppError(
      "model.languageNeeded",
      { model: model.id, languages: languages.map(({ code }) => code).join(", ") },
      { param: "language" },
    );
}

/** Nothing is known of the languages of some imported models. */
function checkLanguage(
  { language, task }: TranscriptionJob,
  { languages }: TranscriptionModels,
): void {
  if (language === undefined || languages.length === 0 || languages.includes(language)) return;
  const why = createMessage(
    task === "translate" ? "language.notTranslated" : "language.notTranscribed",
    { language: languageName(language) },
  );
  throw new AppError(
    "language.unsupported",
    {
      why,
      languages:
        languages.length > maxListedLanguages
          ? createMessage("language.others", { count: languages.length })
          : formatLanguageList(languages),
    },
    { param: "language" },
  );
}

/** English speech is its own translation. A model of English alone is known to get English. */
function checkTranslation(
  { task, language, model }: TranscriptionJob,
  { models: { languages }, canTranslate, translators }: ServingModels,
): void {
  if (task !== "translate" || canTranslate || language === "en") return;
  const others = otherTranslators(translators);
  if (language !== undefined)
    throw new AppError(
      "language.noTranslation",
      { why: createMessage("language.is", { language: languageName(language) }), others },
      { param: "language" },
    );
  if (languages.length !== 1 || languages[0] !== "en")
    throw new AppError("model.noTranslation", { model, others }, { param: "model" });
}
