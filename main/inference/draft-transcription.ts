// Transcribes an excerpt in which somebody still speaks: one pass of one model, without the care that a file gets,
// since the result is replaced within a second. A streaming model of the language goes before the one that transcribes
// the speech when it has ended.

import { joinSegments } from "../contract/transcript.ts";
import type { InstalledModel } from "../contract/models.ts";
import type { DraftJob, DraftTranscript } from "../contract/speech.ts";
import type { Pool, PoolJob } from "../engines/pool/pool.ts";
import type { ModelNames } from "../models/defaults.ts";

/** A less certain language is not relied on: then the model for unknown languages transcribes. */
const minLanguageProb = 0.5;

/** @returns undefined if no model here does the task */
export async function transcribeDraft(
  { pool, names }: { pool: Pool; names: ModelNames },
  job: DraftJob,
  signal: AbortSignal,
): Promise<DraftTranscript | undefined> {
  const { task, language, pcmPath, durationSec } = job;
  const models = names.transcription(job.model, task);
  if (models === undefined) return undefined;
  const poolJob = pool.job(signal);
  const { detector, englishFirst } = models;
  // Other models tell the language themselves while they transcribe.
  const [detected] =
    language === undefined && englishFirst !== undefined && detector !== undefined
      ? await poolJob.run("detect-language", {
          model: detector,
          pcmPath,
          speechSegments: wholeSpeech(durationSec),
        })
      : [];
  const spoken =
    language ?? ((detected?.probability ?? 0) >= minLanguageProb ? detected?.language : undefined);
  const translates = task === "translate" && spoken !== "en";
  const lastModel = models.modelFor(spoken);
  const streamingModel = translates ? undefined : models.streamingModelFor?.(spoken);
  const draftBy = async (model: InstalledModel): Promise<DraftTranscript> => ({
    ...(await makeDraft(poolJob, { ...job, model, translates, spoken })),
    ...(lastModel.batchMaxSec === undefined ? {} : { batchMaxSec: lastModel.batchMaxSec }),
  });
  if (streamingModel === undefined) return draftBy(lastModel);
  return draftBy(streamingModel).catch((error: unknown) => {
    // There may be no memory for two models.
    if (signal.aborted || streamingModel === lastModel) throw error;
    return draftBy(lastModel);
  });
}

const wholeSpeech = (durationSec: number) => [
  {
    fromSec: 0,
    toSec: durationSec,
    startSec: 0,
    endSec: durationSec,
    voicedSec: durationSec,
    voiceProb: 1,
  },
];

type Draft = Omit<DraftJob, "model"> & {
  model: InstalledModel;
  translates: boolean;
  spoken: string | undefined;
};

async function makeDraft(
  poolJob: PoolJob,
  { model, translates, spoken, prompt, pcmPath, durationSec, earlier, utterance, task }: Draft,
): Promise<DraftTranscript> {
  const [segments = []] = await poolJob.run("transcribe", {
    model,
    pcmPath,
    speechSegments: wholeSpeech(durationSec),
    options: {
      task: translates ? "translate" : "transcribe",
      timestamps: false,
      temperature: 0,
      wordTimes: model.capabilities.wordTimes,
      isExcerpt: true,
      isDraft: true,
      ...(earlier?.model === model.id ? { expectedTokens: earlier.tokens } : {}),
      ...(utterance === undefined ? {} : { utterance }),
      ...(spoken === undefined ? {} : { language: spoken }),
      ...(prompt === undefined || !model.capabilities.prompt ? {} : { prompt }),
    },
  });
  const recognizedLanguage = spoken ?? segments[0]?.language;
  return {
    text: joinSegments(segments, task),
    ...(model.capabilities.wordTimes ? { words: segments.flatMap(({ words = [] }) => words) } : {}),
    ...(recognizedLanguage === undefined ? {} : { language: recognizedLanguage }),
    decoded: { model: model.id, tokens: segments.flatMap(({ tokens }) => tokens) },
    ...(model.capabilities.streaming ? { isStreaming: true } : {}),
  };
}
