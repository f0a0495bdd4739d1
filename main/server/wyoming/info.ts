// What Hearsay tells a Wyoming client about itself: the models and voices of this machine.

import type { InstalledModel } from "../../contract/models.ts";
import type { VoiceInfo } from "../../contract/speech.ts";

export type WyomingInfo = {
  /** Models of this machine that are not set aside. */
  models: readonly InstalledModel[];
  voices: readonly VoiceInfo[];
  version: string;
};

/** The model that chooses by language, when a client names none. */
export const defaultTranscriptionModel = "whisper-1";

export function toInfoData({ models, voices, version }: WyomingInfo): Record<string, unknown> {
  const recognizers = models.filter(({ kind }) => kind === "speech-to-text");
  const program = {
    // Home Assistant names its entities after the first program.
    name: "Hearsay",
    attribution: { name: "Hearsay", url: "" },
    installed: true,
    version,
  };
  const asr = {
    ...program,
    description: "Speech to text on this machine",
    models: [
      {
        name: defaultTranscriptionModel,
        description: "The best model here for the language",
        attribution: program.attribution,
        installed: true,
        version,
        languages: languagesOf(recognizers),
      },
      ...recognizers.map((model) => ({
        name: model.id,
        description: model.name,
        attribution: attributionOf(model),
        installed: true,
        version: null,
        languages: languagesOf([model]),
      })),
    ],
    supports_transcript_streaming: true,
  };
  const tts = {
    ...program,
    description: "Text to speech on this machine",
    voices: voices.map((voice) => ({
      name: voice.id,
      description: `${voice.name}: ${voice.character} (${voice.model})`,
      attribution: attributionOf(models.find(({ id }) => id === voice.model)),
      installed: true,
      version: null,
      languages: voice.language === "" ? [] : [voice.language],
      speakers: null,
    })),
    supports_synthesize_streaming: true,
  };
  return {
    asr: recognizers.length === 0 ? [] : [asr],
    tts: voices.length === 0 ? [] : [tts],
    handle: [],
    intent: [],
    wake: [],
    mic: [],
    snd: [],
    satellite: null,
  };
}

const languagesOf = (models: readonly InstalledModel[]): string[] => [
  ...new Set(models.flatMap(({ languages }) => languages.map(({ code }) => code))),
];

const attributionOf = (model: InstalledModel | undefined) => ({
  name: model?.ownedBy ?? "",
  url: model?.licence.url ?? "",
});
