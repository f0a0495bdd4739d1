// The built-in engines as a channel: which models and voices exist and what they can do. See local-transcription.ts and
// local-synthesis.ts for the work itself.

import type {
  InstalledModel,
  ModelBundle,
  ModelInfo,
  TranscriptionEvent,
  TranscriptionJob,
  VoiceInfo,
} from "../contract/speech.ts";
import { localChannelName } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import type { Pool } from "../engines/pool/pool.ts";
import type { LocalChannel } from "../contract/channel.ts";
import { translateByTranscribing } from "./english-only-translation.ts";
import { transcribeFile } from "./local-transcription.ts";
import { synthesizeText } from "./local-synthesis.ts";

export type LocalChannelOptions = {
  pool: Pool;
  models: readonly InstalledModel[];
  vad: ModelBundle;
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
  const translators = models
    .filter(({ translatesTo }) => translatesTo.includes("en"))
    .map(({ id }) => id);

  function model(id: string, kind: ModelInfo["kind"]): InstalledModel {
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
      const { bundle, multilingual, languages, translatesTo } = model(job.model, "speech-to-text");
      const isEnglishOnly = job.task === "translate" && !translatesTo.includes("en");
      const transcribe = (fileJob: TranscriptionJob): AsyncIterable<TranscriptionEvent> =>
        transcribeFile({ pool, bundle, multilingual, languages, vad, tempDir }, fileJob, signal);
      return isEnglishOnly
        ? translateByTranscribing(job, { languages, translators, transcribe })
        : transcribe(job);
    },
    synthesize(job, signal) {
      const { bundle, quality } = model(job.model, "text-to-speech");
      return synthesizeText({ pool, bundle, quality, tempDir }, job, signal);
    },
    phonemes(lines, signal) {
      const speechModel = models.find(({ kind }) => kind === "text-to-speech");
      if (speechModel === undefined) throw new AppError("model.noPhonemes");
      return pool.job(signal).run("phonemes", { model: speechModel.bundle, lines: [...lines] });
    },
    close: () => pool.close(),
  };
}
