// The built-in engines as a channel: which models and voices exist and what they can do. See local-transcription.ts and
// local-synthesis.ts for the work itself, and models/defaults.ts for which model serves a name.

import type { InstalledModel, ModelInfo, ModelVoice } from "../contract/models.ts";
import type {
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "../contract/speech.ts";
import { localChannelName } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import type { Pool } from "../engines/pool/pool.ts";
import type { LocalChannel } from "../contract/channel.ts";
import {
  hasVoiceOfItsOwn,
  type ModelNames,
  readsPhonemes,
  type SpeechModel,
} from "../models/defaults.ts";
import { toSingleVoice } from "../contract/voice-blend.ts";
import { listVoices } from "../contract/voice-names.ts";
import { checkInlinePhonemes } from "../text/inline-phoneme-check.ts";
import { detectTextLanguage } from "../text/text-language.ts";
import { transcribeDraft } from "./draft-transcription.ts";
import { translateByTranscribing } from "./english-only-translation.ts";
import { transcribeFile } from "./local-transcription.ts";
import { synthesizeText } from "./local-synthesis.ts";
import { createModelFallback } from "./model-fallback.ts";
import { requireCapabilities, type ServingModels } from "./required-capabilities.ts";
import { castText } from "./voice-casting.ts";
import { toVoiceInfo } from "./voice-list.ts";

export type LocalChannelOptions = {
  pool: Pool;
  names: ModelNames;
  /** Models on this machine, those that are set aside included. */
  models(): readonly InstalledModel[];
  vad: InstalledModel;
  /** Named as in OpenAI's clients: every engine has some voice for each. */
  voices: readonly ModelVoice[];
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
  const fixedVoices = voices.map((voice) => toVoiceInfo(hibari, voice));

  /** @throws AppError if no model here has the name, or those behind it cannot do the job */
  function findModels(job: TranscriptionJob): ServingModels {
    const { model: name, task, wordTimes, isBestEffort = false } = job;
    const needs = { wordTimes: wordTimes && !isBestEffort };
    const able = names.transcription(name, task, needs);
    const found = able ?? names.transcription(name, "transcribe", needs);
    if (found === undefined) throw unknownModelError(name, "speech-to-text");
    const translators = listTranslators(names);
    const serving = { models: found, canTranslate: able !== undefined, translators };
    requireCapabilities(job, serving);
    return serving;
  }

  async function findUnknownWords(
    words: readonly string[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const model = models().find(({ id, damaged }) => id === hibari.id && damaged === undefined);
    if (model === undefined) return [];
    return pool.job(signal).run("unknown-words", { model, words: [...words] });
  }

  function serveTranscription(
    job: TranscriptionJob,
    signal: AbortSignal,
  ): AsyncIterable<TranscriptionEvent> {
    const serving = findModels(job);
    const transcribe = (fileJob: TranscriptionJob): AsyncIterable<TranscriptionEvent> =>
      transcribeFile(
        { pool, models: serving.models, vad, tempDir, findUnknownWords },
        fileJob,
        signal,
      );
    return serving.canTranslate
      ? transcribe(job)
      : translateByTranscribing(job, { translators: serving.translators, transcribe });
  }

  function speechModel(job: SpeechJob): SpeechModel {
    const { model: name, voice, text, language = detectTextLanguage(text), englishFamily } = job;
    const found = names.speech(name, voice, language, englishFamily);
    if (found === undefined) throw unknownModelError(name, "text-to-speech");
    return found;
  }

  const withFallback = createModelFallback({ names, models, vad });

  return {
    name: localChannelName,
    isLocal: true,
    models: names.list,
    whyMissing(id) {
      const reason = models().find((model) => model.id === id)?.damaged;
      return reason && new AppError("model.setAside", { model: id, reason }, { param: "model" });
    },
    whyUnable: (job) => appErrorOf(() => findModels(job)),
    voices: () => [...fixedVoices, ...models().flatMap((model) => voicesOf(model, names))],
    hasVoice(requested) {
      const voice = toSingleVoice(requested);
      return (
        voices.some(({ id }) => id === voice) ||
        models().some((model) => canSpeak(model, names) && hasVoiceOfItsOwn(model, voice))
      );
    },
    isBusy: pool.isBusy,
    transcribe(job, signal) {
      findModels(job);
      return withFallback(
        job.model,
        ({ type }) => type !== "progress",
        () => serveTranscription(job, signal),
      );
    },
    draft: (job, signal) => transcribeDraft({ pool, names }, job, signal),
    synthesize(given, signal) {
      const job = { ...given, voice: toSingleVoice(given.voice) };
      speechModel(job);
      checkInlinePhonemes(job.text);
      return withFallback(
        job.model,
        ({ bytes }) => bytes.length > 0,
        () =>
          withSmallModel(job, (admitted) => {
            const speech = speechModel(admitted);
            checkVoice(speech.model, job.voice, voices);
            const cast = castText(names, admitted, speech);
            return synthesizeText({ pool, cast, tempDir }, admitted, signal);
          }),
      );
    },
    phonemes(lines, signal) {
      const model = models().find((each) => readsPhonemes(each) && each.damaged === undefined);
      if (model === undefined) throw new AppError("model.noPhonemes");
      return pool.job(signal).run("phonemes", { model, lines: [...lines] });
    },
    unknownWords: findUnknownWords,
    close: () => pool.close(),
  };
}

/** The model that the names fixed in OpenAI's clients belong to first of all. */
const hibari = { id: "hibari" };

const unknownModelError = (model: string, kind: ModelInfo["kind"]): AppError =>
  new AppError("model.unknownOfKind", { model, kind }, { param: "model" });

function appErrorOf(check: () => unknown): AppError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const listTranslators = (names: ModelNames): string[] =>
  names
    .list()
    .map(({ id }) => id)
    .filter((name) => names.transcription(name, "translate") !== undefined);

/** Whether a model's voices can be used at present. */
const canSpeak = ({ id }: InstalledModel, names: ModelNames): boolean =>
  names.speech(id) !== undefined;
const voicesOf = (model: InstalledModel, names: ModelNames): readonly VoiceInfo[] =>
  canSpeak(model, names) ? (model.voices ?? []).map((voice) => toVoiceInfo(model, voice)) : [];

/** Where memory does not suffice for Kokoro, Hibari speaks what it can: all names but `tts-1-hd` have it already. */
async function* withSmallModel(
  job: SpeechJob,
  synthesize: (job: SpeechJob) => AsyncIterable<SpeechChunk>,
): AsyncGenerator<SpeechChunk> {
  let isStarted = false;
  try {
    for await (const chunk of synthesize(job)) {
      isStarted ||= chunk.bytes.length > 0;
      yield chunk;
    }
  } catch (error) {
    const isTooLarge = error instanceof AppError && error.sent.id === "model.tooLarge";
    const hasSmaller = job.model === "tts-1-hd" && job.englishFamily !== "hibari";
    if (isStarted || !isTooLarge || !hasSmaller) throw error;
    yield* synthesize({ ...job, englishFamily: "hibari" });
  }
}

/** @throws AppError if the voice belongs to other models only */
function checkVoice(
  model: InstalledModel,
  voice: string,
  fixedVoices: readonly ModelVoice[],
): void {
  const known = [...(model.voices ?? []), ...fixedVoices].map(({ id }) => id);
  if (known.includes(voice) || hasVoiceOfItsOwn(model, voice)) return;
  throw new AppError(
    "voice.unsupported",
    { voices: listVoices(known), voice, near: "" },
    { param: "voice" },
  );
}
