// The built-in engines as a channel: which models and voices exist and what they can do. See local-transcription.ts and
// local-synthesis.ts for the work itself, and models/defaults.ts for which model serves a name.

import type { InstalledModel, ModelInfo } from "../contract/models.ts";
import type {
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "../contract/speech.ts";
import { localChannelName } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import type { Pool } from "../engines/pool/pool.ts";
import type { LocalChannel } from "../contract/channel.ts";
import { type ModelNames, readsPhonemes, type SpeechModel } from "../models/defaults.ts";
import { detectTextLanguage } from "../text/text-language.ts";
import { translateByTranscribing } from "./english-only-translation.ts";
import { transcribeFile } from "./local-transcription.ts";
import { synthesizeText } from "./local-synthesis.ts";
import { createModelFallback } from "./model-fallback.ts";
import { requireCapabilities, type ServingModels } from "./required-capabilities.ts";

export type LocalChannelOptions = {
  pool: Pool;
  names: ModelNames;
  /** Models on this machine, those that are set aside included. */
  models(): readonly InstalledModel[];
  vad: InstalledModel;
  /** Named as in OpenAI's clients: every engine has some voice for each. */
  voices: readonly VoiceInfo[];
  /** Folder for the samples of running jobs; each job creates its own folder in it. */
  tempDir: () => string;
};

export function createLocalChannel({
  pool,
  names,
  models,
  vad,
  voices,
  tempDir,
}: LocalChannelOptions): LocalChannel {
  /** @throws AppError if no model here has the name, or those behind it cannot do the job */
  function findModels(job: TranscriptionJob): ServingModels {
    const { model: name, task, wordTimes, isBestEffort = false } = job;
    const needs = { wordTimes: wordTimes && !isBestEffort };
    const able = names.transcription(name, task, needs);
    const found = able ?? names.transcription(name, "transcribe", needs);
    if (found === undefined) throw unknownModelError(name, "speech-to-text");
    const serving = { models: found, canTranslate: able !== undefined, translators: translators() };
    requireCapabilities(job, serving);
    return serving;
  }

  function serveTranscription(
    job: TranscriptionJob,
    signal: AbortSignal,
  ): AsyncIterable<TranscriptionEvent> {
    const serving = findModels(job);
    const transcribe = (fileJob: TranscriptionJob): AsyncIterable<TranscriptionEvent> =>
      transcribeFile({ pool, models: serving.models, vad, tempDir }, fileJob, signal);
    return serving.canTranslate
      ? transcribe(job)
      : translateByTranscribing(job, { translators: serving.translators, transcribe });
  }

  function speechModel({ model: name, voice, text }: SpeechJob): SpeechModel {
    const found = names.speech(name, voice, detectTextLanguage(text));
    if (found === undefined) throw unknownModelError(name, "text-to-speech");
    return found;
  }

  const translators = (): string[] =>
    names
      .list()
      .map(({ id }) => id)
      .filter((name) => names.transcription(name, "translate") !== undefined);

  const withFallback = createModelFallback({ names, models, vad });

  return {
    name: localChannelName,
    isLocal: true,
    models: names.list,
    whyMissing(id) {
      const reason = models().find((model) => model.id === id)?.damaged;
      return reason && new AppError("model.setAside", { model: id, reason }, { param: "model" });
    },
    whyUnable(job) {
      try {
        findModels(job);
        return undefined;
      } catch (error) {
        if (error instanceof AppError) return error;
        throw error;
      }
    },
    voices: () => [...voices, ...models().flatMap((model) => voicesOf(model, names))],
    isBusy: pool.isBusy,
    transcribe(job, signal) {
      findModels(job);
      return withFallback(
        job.model,
        ({ type }) => type !== "progress",
        () => serveTranscription(job, signal),
      );
    },
    synthesize(job, signal) {
      speechModel(job);
      return withFallback(
        job.model,
        ({ bytes }) => bytes.length > 0,
        () => {
          const speech = speechModel(job);
          checkVoice(speech.model, job.voice, voices);
          return synthesizeText({ pool, ...speech, tempDir }, job, signal);
        },
      );
    },
    phonemes(lines, signal) {
      const model = models().find((each) => readsPhonemes(each) && each.damaged === undefined);
      if (model === undefined) throw new AppError("model.noPhonemes");
      return pool.job(signal).run("phonemes", { model, lines: [...lines] });
    },
    close: () => pool.close(),
  };
}

const unknownModelError = (model: string, kind: ModelInfo["kind"]): AppError =>
  new AppError("model.unknownOfKind", { model, kind }, { param: "model" });

/** Voices of a model that can be used at present. */
const voicesOf = (model: InstalledModel, names: ModelNames): readonly VoiceInfo[] =>
  names.speech(model.id) === undefined ? [] : (model.voices ?? []);

/** @throws AppError if the voice belongs to other models only */
function checkVoice(
  { voices: own = [] }: InstalledModel,
  voice: string,
  fixedVoices: readonly VoiceInfo[],
): void {
  const known = [...own, ...fixedVoices].map(({ id }) => id);
  if (known.includes(voice)) return;
  const voices = known.map((id) => `'${id}'`).join(", ");
  throw new AppError("voice.unsupported", { voices, voice }, { param: "voice" });
}
