// The built-in engines as a channel. Hearing and speaking are local-hearing.ts and local-speaking.ts; here is
// which models and voices there are, and what they can do.

import type {
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
import { translateEnglish } from "./english-only-translation.ts";
import type { HearingHelper } from "./hearing-helper.ts";
import { hearFile } from "./local-hearing.ts";
import { speakText } from "./local-speaking.ts";

/** A model as the channel offers it; an alias is a second entry with the same bundle. */
export type LocalModel = ModelInfo & {
  readonly bundle: ModelBundle;
  /** Hears what `bundle` does not. */
  readonly multilingual?: ModelBundle;
  /** As contract/languages.ts codes them. */
  readonly languages: readonly string[];
  /** Languages it translates speech into. */
  readonly translatesTo: readonly string[];
  readonly quality: "standard" | "high";
};

export type LocalChannelOptions = {
  pool: Pool;
  models: readonly LocalModel[];
  voiceActivity: ModelBundle;
  voices: readonly VoiceInfo[];
  /** Folder for the samples of running jobs; each job makes its own in it. */
  tempDir: () => string;
  /** Who may hear parts of long files now: asked at the start of each. */
  helpers?: () => readonly HearingHelper[];
};

export function createLocalChannel({
  pool,
  models,
  voiceActivity,
  voices,
  tempDir,
  helpers = () => [],
}: LocalChannelOptions): LocalChannel {
  const byId = new Map(models.map((offered) => [offered.id, offered]));
  const translators = models
    .filter(({ translatesTo }) => translatesTo.includes("en"))
    .map(({ id }) => id);

  function model(id: string, kind: ModelInfo["kind"]): LocalModel {
    const found = byId.get(id);
    if (found?.kind !== kind)
      throw new AppError(
        "unknown_model",
        `The model '${id}' does not exist or is not a ${kind} model.`,
        { param: "model" },
      );
    return found;
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
      // Whether it is English at all is told by the figures of the engines here.
      const mayHelp = isEnglishOnly ? [] : helpers();
      const hear = (heard: TranscriptionJob): AsyncIterable<TranscriptionEvent> =>
        hearFile(
          { pool, bundle, multilingual, languages, voiceActivity, tempDir, helpers: mayHelp },
          heard,
          signal,
        );
      return isEnglishOnly ? translateEnglish(job, { languages, translators, hear }) : hear(job);
    },
    speak(job, signal) {
      const { bundle, quality } = model(job.model, "text-to-speech");
      return speakText({ pool, bundle, quality, tempDir }, job, signal);
    },
    phonemes(lines, signal) {
      const speaker = models.find(({ kind }) => kind === "text-to-speech");
      if (speaker === undefined)
        throw new AppError("unknown_model", "There is no voice here to read phonemes for.");
      return pool.job(signal).run("phonemes", { model: speaker.bundle, lines: [...lines] });
    },
    close: () => pool.close(),
  };
}
