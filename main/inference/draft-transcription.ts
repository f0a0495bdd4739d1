// Transcribes an excerpt in which somebody still speaks: one pass of one model, without the care that a file gets,
// since the result is replaced within a second.

import { joinSegments } from "../contract/transcript.ts";
import type { DraftJob, DraftTranscript } from "../contract/speech.ts";
import type { Pool } from "../engines/pool/pool.ts";
import type { ModelNames } from "../models/defaults.ts";

/** A less certain language is not relied on: then the model for unknown languages transcribes. */
const minLanguageProb = 0.5;

/** @returns undefined if no model here does the task */
export async function transcribeDraft(
  { pool, names }: { pool: Pool; names: ModelNames },
  { model: name, task, language, prompt, pcmPath, durationSec, earlier }: DraftJob,
  signal: AbortSignal,
): Promise<DraftTranscript | undefined> {
  const models = names.transcription(name, task);
  if (models === undefined) return undefined;
  const poolJob = pool.job(signal);
  const speechSegments = [
    {
      fromSec: 0,
      toSec: durationSec,
      startSec: 0,
      endSec: durationSec,
      voicedSec: durationSec,
      voiceProb: 1,
    },
  ];
  const { detector, englishFirst } = models;
  // Other models tell the language themselves while they transcribe.
  const [detected] =
    language === undefined && englishFirst !== undefined && detector !== undefined
      ? await poolJob.run("detect-language", { model: detector, pcmPath, speechSegments })
      : [];
  const spoken =
    language ?? ((detected?.probability ?? 0) >= minLanguageProb ? detected?.language : undefined);
  const model = models.modelFor(spoken);
  const translates = task === "translate" && spoken !== "en";
  const [segments = []] = await poolJob.run("transcribe", {
    model,
    pcmPath,
    speechSegments,
    options: {
      task: translates ? "translate" : "transcribe",
      timestamps: false,
      temperature: 0,
      wordTimes: model.capabilities.wordTimes,
      isExcerpt: true,
      isDraft: true,
      ...(earlier?.model === model.id ? { expectedTokens: earlier.tokens } : {}),
      ...(spoken === undefined ? {} : { language: spoken }),
      ...(prompt === undefined || !model.capabilities.prompt ? {} : { prompt }),
    },
  });
  const heard = spoken ?? segments[0]?.language;
  return {
    text: joinSegments(segments, task),
    ...(model.capabilities.wordTimes ? { words: segments.flatMap(({ words = [] }) => words) } : {}),
    ...(heard === undefined ? {} : { language: heard }),
    decoded: { model: model.id, tokens: segments.flatMap(({ tokens }) => tokens) },
    ...(model.batchMaxSec === undefined ? {} : { batchMaxSec: model.batchMaxSec }),
  };
}
