// Voices for the picker, and their marks: a letter and a hue. Pure.

import { maxRecentVoices } from "../../../main/contract/preferences.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { t } from "../../messages/messages.ts";
import {
  groupByLanguage,
  hasVoice,
  localVoices,
  machineVoices,
  namesOfLanguages,
  type StoredVoices,
  unlistedVoice,
  type VoiceChoice,
  type VoiceGroup,
} from "../../stores/voices.ts";

/** OpenAI's voices, which compatible providers usually offer. */
export const openAiVoices = [
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "marin",
  "nova",
  "onyx",
  "sage",
  "shimmer",
  "verse",
] as const;
const hueCount = 6;

/** A model that no channel offers at the moment counts as local. */
export const isLocalModel = (models: readonly ListedModel[], id: string): boolean =>
  models.filter((model) => model.id === id).every(({ channel }) => channel === "local");

/** The voices to choose from while a model is selected. */
export const voiceChoices = (
  models: readonly ListedModel[],
  model: string,
): readonly VoiceChoice[] =>
  isLocalModel(models, model)
    ? machineVoices(models)
    : openAiVoices.map((id) => ({ id, name: id, about: "" }));

export type VoiceFilter = {
  /** Of a group; empty: all. */
  readonly language: string;
  readonly gender: "" | "female" | "male";
  readonly register: "" | "low" | "medium" | "high";
};

export const noFilter: VoiceFilter = { language: "", gender: "", register: "" };

/** Favourites, recently used ones that are no favourites, then all by language. */
export function pickerGroups(
  voices: readonly VoiceChoice[],
  { favourites, recent }: StoredVoices,
  { language, gender, register }: VoiceFilter,
): readonly VoiceGroup[] {
  const find = (id: string): VoiceChoice =>
    voices.find((voice) => voice.id === id) ?? unlistedVoice(id, voices);
  /** A stored name may be of another provider or of a model that was removed. */
  const isOffered = (voice: VoiceChoice): boolean =>
    voice.models !== undefined || voices.includes(voice);
  const languageOf = namesOfLanguages(voices);
  /** Under no language's name, voices of several languages may have the same name. */
  const stored = (ids: readonly string[]): readonly VoiceChoice[] =>
    ids
      .map(find)
      .filter(isOffered)
      .map((voice) =>
        voice.language === undefined
          ? voice
          : { ...voice, about: `${voice.about} · ${languageOf(voice)}` },
      );
  return [
    { label: t("narrate.voice.favourites"), voices: stored(favourites) },
    {
      label: t("narrate.voice.recent"),
      voices: stored(recent.filter((id) => !favourites.includes(id))),
    },
    ...groupByLanguage(voices),
  ]
    .map((group) => ({
      ...group,
      voices: group.voices.filter(
        (voice) =>
          (language === "" || languageOf(voice) === language) &&
          (gender === "" || voice.gender === gender) &&
          (register === "" || voice.register === register),
      ),
    }))
    .filter(({ voices: shown }) => shown.length > 0);
}

export const withRecent = (recent: readonly string[], id: string): string[] =>
  [id, ...recent.filter((each) => each !== id)].slice(0, maxRecentVoices);

/** @param name of a blend; blank: none */
export function withName(
  names: Readonly<Record<string, string>>,
  id: string,
  name: string,
): Record<string, string> {
  const { [id]: _, ...others } = names;
  return name.trim() === "" ? others : { ...others, [id]: name.trim() };
}

export const withToggled = (ids: readonly string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];

/** The selected model if it has the voice, else one that has. */
export const modelForVoice = (model: string, voice: VoiceChoice): string =>
  hasVoice(model, voice) ? model : (voice.models?.[0] ?? model);

/** The voice if the model has it, else one that every model has. */
export function voiceForModel(
  models: readonly ListedModel[],
  model: string,
  voice: string,
): string {
  if (!isLocalModel(models, model)) return voice;
  const voices = machineVoices(models);
  const choice = voices.find(({ id }) => id === voice) ?? unlistedVoice(voice, voices);
  return hasVoice(model, choice) ? voice : "nova";
}

/**
 * @param percent of the first voice, 1 to 99
 * @returns the blend's name, such as `af_bella(2)+af_sky(1)`
 */
export function blendName(first: string, second: string, percent: number): string {
  const divisor = greatestCommonDivisor(percent, 100 - percent);
  return `${first}(${percent / divisor})+${second}(${(100 - percent) / divisor})`;
}

const greatestCommonDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestCommonDivisor(other, one % other);

/** 1 to 6: each voice that every model has has its own hue. */
export function voiceHue(voice: string): number {
  const localIndex = (localVoices as readonly string[]).indexOf(voice);
  if (localIndex >= 0) return (localIndex % hueCount) + 1;
  let sum = 0;
  for (const character of voice) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (sum % hueCount) + 1;
}

/** Of the name alone: a voice such as `af_bella` begins with its language. */
export const voiceInitial = (voice: string): string =>
  (/[\p{L}\p{N}]/u.exec(voice.replace(/^[a-z]{2}_/, ""))?.[0] ?? "?").toUpperCase();
