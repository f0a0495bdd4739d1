// Voices to choose from: the names that clients expect of every model, and those of the models on this machine. Pure,
// except for the names that a person gave to blends.

import type { ModelVoice } from "../../main/contract/models.ts";
import type { ListedModel } from "../../main/contract/window-api.ts";
import { parseVoiceBlend } from "../../main/contract/voice-blend.ts";
import { voiceTraits } from "../../main/contract/voice-traits.ts";
import { formatLanguage, formatPercent } from "../messages/format.ts";
import { languageInUse, t } from "../messages/messages.ts";
import { usePreferences } from "./preferences.ts";

export type VoiceChoice = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly gender?: "female" | "male" | "neutral";
  readonly register?: "low" | "medium" | "high";
  /** BCP 47. Optional; default: that of the text. */
  readonly language?: string;
  /** Ids of the models that have it. Optional; default: all. */
  readonly models?: readonly string[];
};

/** Named as OpenAI's. */
export const localVoices = ["alloy", "echo", "fable", "nova", "onyx", "shimmer"] as const;
const men: ReadonlySet<string> = new Set(["echo", "fable", "onyx"]);
/** Take a model by the language of the text and the voice. */
const automaticModels: readonly string[] = ["tts-1", "tts-1-hd"];

const toTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const standardVoices = (): readonly VoiceChoice[] =>
  localVoices.map((id) => {
    const gender = men.has(id) ? "male" : "female";
    return { id, name: toTitle(id), about: t(`frame.voice.gender.${gender}`), gender };
  });

function describe(voice: ModelVoice): string {
  const { gender, character } = voice;
  const person = gender === undefined ? character : t(`frame.voice.gender.${gender}`);
  return [person, ...voiceTraits(voice).map((trait) => t(`frame.voice.trait.${trait}`))].join(", ");
}

const toChoice = (voice: ModelVoice, models: readonly string[]): VoiceChoice => ({
  id: voice.id,
  name: voice.name,
  about: voice.description ?? describe(voice),
  ...(voice.register !== undefined && { register: voice.register }),
  ...(voice.gender !== undefined && { gender: voice.gender }),
  ...(voice.language !== "" && {
    language: voice.region === undefined ? voice.language : `${voice.language}-${voice.region}`,
  }),
  models,
});

/** The standard names, then each voice that a model of this machine lists, once. */
export function machineVoices(models: readonly ListedModel[]): readonly VoiceChoice[] {
  const listed = models
    .filter(({ channel }) => channel === "local")
    .flatMap(({ id: model, voices = [] }) => voices.map((voice) => ({ voice, model })));
  return [
    ...standardVoices(),
    ...[...Map.groupBy(listed, ({ voice }) => voice.id).values()].flatMap((same) =>
      same.slice(0, 1).map(({ voice }) =>
        toChoice(
          voice,
          same.map(({ model }) => model),
        ),
      ),
    ),
  ];
}

/** Only one family mixes voices. */
export const blendableVoices = (models: readonly ListedModel[]): readonly VoiceChoice[] =>
  machineVoices(models.filter(({ family }) => family === "kokoro-compact")).filter(
    (voice) => voice.models !== undefined,
  );

/** A voice that is in no list: a blend of voices that are, or a name that only a provider knows. */
export function unlistedVoice(id: string, voices: readonly VoiceChoice[]): VoiceChoice {
  const parts = parseVoiceBlend(id).flatMap(({ id: part, weight }) => {
    const voice = voices.find((each) => each.id === part);
    return voice === undefined ? [] : [{ voice, weight }];
  });
  const [first] = parts;
  if (first === undefined || parts.length < 2) return { id, name: id, about: "" };
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return {
    ...first.voice,
    id,
    name: usePreferences.getState().voices.names[id] ?? id,
    about: parts
      .map(({ voice, weight }) => `${voice.name} ${formatPercent(weight / total)}`)
      .join(", "),
  };
}

export type StoredVoices = {
  readonly favourites: readonly string[];
  readonly recent: readonly string[];
};

/** Blends of voices of this machine that the person used or keeps. */
export const storedBlends = (
  { favourites, recent }: StoredVoices,
  voices: readonly VoiceChoice[],
): readonly VoiceChoice[] =>
  [...new Set([...favourites, ...recent])]
    .filter((id) => parseVoiceBlend(id).length > 1)
    .map((id) => unlistedVoice(id, voices))
    .filter(({ models }) => models !== undefined);

/** Whether a model, by the name that requests use, has the voice. */
export const hasVoice = (model: string, { models }: VoiceChoice): boolean =>
  models === undefined || automaticModels.includes(model) || models.includes(model);

const baseOf = (language: string): string => language.split("-")[0] ?? language;

/** The names of the voices' languages; with the region only where voices differ in it. */
export function namesOfLanguages(
  voices: readonly VoiceChoice[],
): (voice: Pick<VoiceChoice, "language">) => string {
  const tags = new Set(
    voices.flatMap(({ language = "" }) => (language.includes("-") ? language : [])),
  );
  const regionCounts = Map.groupBy(tags, baseOf);
  return ({ language }) => {
    if (language === undefined) return t("frame.voice.anyLanguage");
    const base = baseOf(language);
    const hasRegions = (regionCounts.get(base)?.length ?? 0) > 1;
    return formatLanguage(hasRegions ? language : base, language, "short");
  };
}

const rank = (language: string): number =>
  language === "" ? 0 : language === languageInUse() ? 1 : 2;

export type VoiceGroup = { readonly label: string; readonly voices: readonly VoiceChoice[] };

/**
 * By language: those for any, those of the window's own, then the others by name; regions in the order of the models.
 */
export function groupByLanguage(voices: readonly VoiceChoice[]): readonly VoiceGroup[] {
  return [...Map.groupBy(voices, namesOfLanguages(voices))]
    .map(([label, ofLanguage]) => ({
      label,
      voices: ofLanguage,
      base: baseOf(ofLanguage[0]?.language ?? ""),
    }))
    .toSorted(
      (one, other) =>
        rank(one.base) - rank(other.base) ||
        formatLanguage(one.base).localeCompare(formatLanguage(other.base), languageInUse()),
    );
}
