// The built-in engines as a channel: which models and voices exist and what they can do. See local-transcription.ts and
// local-synthesis.ts for the work itself.

import type { InstalledModel, ModelInfo, OfferedModel } from "../contract/models.ts";
import type { TranscriptionEvent, TranscriptionJob, VoiceInfo } from "../contract/speech.ts";
import { localChannelName } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import type { Pool } from "../engines/pool/pool.ts";
import type { LocalChannel } from "../contract/channel.ts";
import { translateByTranscribing } from "./english-only-translation.ts";
import { transcribeFile } from "./local-transcription.ts";
import { synthesizeText } from "./local-synthesis.ts";

export type LocalChannelOptions = {
  pool: Pool;
  models: readonly OfferedModel[];
  vad: InstalledModel;
  voices: readonly VoiceInfo[];
  /** Folder for the samples of running jobs; each job creates its own folder in it. */
  tempDir: () => string;
};

export function createLocalChannel({
  pool,
  models,
  vad,
  voices,
  tempDir,
}: LocalChannelOptions): LocalChannel {
  const modelsById = new Map(models.map((localModel) => [localModel.id, localModel]));
  const translators = models.filter(translatesIntoEnglish).map(({ id }) => id);

  function model(id: string, kind: ModelInfo["kind"]): OfferedModel {
    const match = modelsById.get(id);
    if (match?.kind !== kind)
      throw new AppError("model.unknownOfKind", { model: id, kind }, { param: "model" });
    return match;
  }

  return {
    name: localChannelName,
    isLocal: true,
    models: () => models,
    voices: () => voices,
    isBusy: pool.isBusy,
    transcribe(job, signal) {
      const offered = model(job.model, "speech-to-text");
      const { multilingual } = offered;
      const languages = (multilingual ?? offered.model).languages.map(({ code }) => code);
      const isEnglishOnly = job.task === "translate" && !translatesIntoEnglish(offered);
      const transcribe = (fileJob: TranscriptionJob): AsyncIterable<TranscriptionEvent> =>
        transcribeFile(
          { pool, model: offered.model, multilingual, languages, vad, tempDir },
          fileJob,
          signal,
        );
      return isEnglishOnly
        ? translateByTranscribing(job, { languages, translators, transcribe })
        : transcribe(job);
    },
    synthesize(job, signal) {
      const offered = model(job.model, "text-to-speech");
      return synthesizeText(
        { pool, model: offered.model, quality: offered.quality, tempDir },
        job,
        signal,
      );
    },
    phonemes(lines, signal) {
      const speechModel = models.find(({ kind }) => kind === "text-to-speech");
      if (speechModel === undefined) throw new AppError("model.noPhonemes");
      return pool.job(signal).run("phonemes", { model: speechModel.model, lines: [...lines] });
    },
    close: () => pool.close(),
  };
}

const translatesIntoEnglish = ({ model, multilingual = model }: OfferedModel): boolean =>
  multilingual.capabilities.translatesTo.includes("en");
