// Which voice speaks which sentence: the requested one, or another one for paragraphs in a language that it does not
// know.

import { createMessage } from "../contract/messages/messages.ts";
import { languageNames } from "../contract/languages.ts";
import type { InstalledModel, ModelVoice } from "../contract/models.ts";
import type { SpeechJob, VoiceCasting } from "../contract/speech.ts";
import { parseVoiceBlend } from "../contract/voice-blend.ts";
import type { ModelNames, SpeechModel } from "../models/defaults.ts";
import { splitFirstClause, type Sentence, splitSentences } from "../text/sentences.ts";
import { detectCertainLanguage } from "../text/text-language.ts";

export type CastSentence = Sentence & {
  readonly model: InstalledModel;
  /** A name that the model's engine knows. */
  readonly voice: string;
};

export type CastText = VoiceCasting & {
  readonly quality: SpeechModel["quality"];
  readonly sentences: readonly CastSentence[];
};

/** The voices of Kokoro with the names of OpenAI's; it has none for the last one. */
const kokoroVoices: Readonly<Record<string, string>> = {
  alloy: "af_alloy",
  echo: "am_echo",
  fable: "bm_fable",
  onyx: "am_onyx",
  nova: "af_nova",
  shimmer: "af_sky",
};
/** Of OpenAI's voices, for languages where no voice has their name: women first, since these are most. */
const voiceOrder = {
  female: ["nova", "alloy", "shimmer"],
  male: ["onyx", "echo", "fable"],
} as const;

type Role = { readonly model: InstalledModel; readonly voice: string };

/** @param chosen serves the request as far as its languages go */
export function castText(names: ModelNames, job: SpeechJob, chosen: SpeechModel): CastText {
  const takenOverBy = new Set<string>();
  let unknownLanguage: string | undefined;
  const usual = toRole(chosen.model, job.voice);
  // In doubt, a paragraph is in the language of the whole text, and this in the voice's own.
  const defaultLanguage =
    job.language ?? detectCertainLanguage(job.text) ?? languageOf(usual) ?? "en";
  const roles = new Map<string, Role>();

  function castLanguage(language: string): Role {
    const { model } = names.speech(job.model, job.voice, language, job.englishFamily) ?? chosen;
    const requested = toRole(model, job.voice);
    if (speaks(requested, language)) return requested;
    const other = findOther(names, job, chosen.model, language);
    if (other === undefined) unknownLanguage ??= language;
    else takenOverBy.add(other.voice);
    return other ?? usual;
  }

  const sentences = splitFirstClause(
    splitSentences(
      job.text,
      (paragraph) => job.language ?? detectCertainLanguage(paragraph) ?? defaultLanguage,
    ),
  );
  const cast = sentences.map((sentence): CastSentence => {
    const { language = defaultLanguage } = sentence;
    const role = roles.get(language) ?? castLanguage(language);
    roles.set(language, role);
    return { ...sentence, ...role };
  });
  return {
    quality: chosen.quality,
    sentences: cast,
    takenOverBy: [...takenOverBy],
    ...(unknownLanguage === undefined
      ? {}
      : {
          warning: createMessage("voice.otherLanguage", {
            voice: job.voice,
            language: toTitle(languageNames.get(unknownLanguage) ?? unknownLanguage),
          }),
        }),
  };
}

const toTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Another voice that knows the language: of the same model, or of the one that speaks it under this name. */
function findOther(
  names: ModelNames,
  job: SpeechJob,
  model: InstalledModel,
  language: string,
): Role | undefined {
  const requested = likeName(model, job.voice);
  return [model, names.speech(job.model, undefined, language)?.model]
    .map((candidate) => candidate && roleFor(candidate, requested, language))
    .find((role) => role !== undefined);
}

/** The one of OpenAI's names that is most like the voice. */
const likeName = (model: InstalledModel, voice: string): string =>
  Object.hasOwn(kokoroVoices, voice)
    ? voice
    : findVoice(model, voice)?.gender === "male"
      ? "onyx"
      : "nova";

/** A voice of the model for a language, like the one of that name. */
function roleFor(model: InstalledModel, name: string, language: string): Role | undefined {
  const role = toRole(model, name);
  if (findVoice(model, role.voice)?.language === language) return role;
  const gender = (voiceOrder.male as readonly string[]).includes(name) ? "male" : "female";
  const ofLanguage = (model.voices ?? []).filter((voice) => voice.language === language);
  const ofGender = ofLanguage.filter((voice) => voice.gender === gender);
  const candidates = ofGender.length > 0 ? ofGender : ofLanguage;
  const place = (voiceOrder[gender] as readonly string[]).indexOf(name);
  const found = candidates[place % candidates.length];
  if (found !== undefined) return { model, voice: found.id };
  return speaks(role, language) ? role : undefined;
}

/** The requested voice, under the name that the model's engine knows. */
const toRole = (model: InstalledModel, voice: string): Role => ({
  model,
  voice:
    model.family === "kokoro-compact"
      ? voice.replaceAll(/[a-z_]+/g, (name) => kokoroVoices[name] ?? name)
      : voice,
});

/** Of a blend, its first voice. */
const findVoice = ({ voices = [] }: InstalledModel, voice: string): ModelVoice | undefined =>
  voices.find(({ id }) => id === parseVoiceBlend(voice)[0]?.id);

/**
 * A voice that the model does not list may speak each of its languages, and every voice those that none is listed for:
 * some speakers have two languages.
 */
function speaks({ model, voice }: Role, language: string): boolean {
  const { voices = [], languages } = model;
  const listed = findVoice(model, voice);
  const isOwn = listed === undefined || !voices.some((each) => each.language === language);
  return (
    listed?.language === language || (isOwn && languages.some(({ code }) => code === language))
  );
}

const languageOf = ({ model, voice }: Role): string | undefined =>
  findVoice(model, voice)?.language ?? model.languages[0]?.code;
