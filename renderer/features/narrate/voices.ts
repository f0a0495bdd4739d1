// Voices for the picker, and their marks: a letter and a hue. Pure.

import type { ModelVoice } from "../../../main/contract/models.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { localVoices } from "../../stores/voices.ts";

/** OpenAI's voices, which compatible providers usually offer. */
const openAiVoices = [
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

/** Always includes the selected voice. */
export function voiceChoices(isLocal: boolean, selectedVoice: string): readonly string[] {
  const voices: readonly string[] = isLocal ? localVoices : openAiVoices;
  return voices.includes(selectedVoice) ? voices : [...voices, selectedVoice];
}

/** Each once, of models on this machine that list their voices. */
export const listedVoices = (models: readonly ListedModel[]): readonly ModelVoice[] => [
  ...new Map(
    models
      .filter(({ channel }) => channel === "local")
      .flatMap(({ voices = [] }) => voices)
      .map((voice) => [voice.id, voice]),
  ).values(),
];

/** 1 to 6: each local voice has its own hue. */
export function voiceHue(voice: string): number {
  const localIndex = (localVoices as readonly string[]).indexOf(voice);
  if (localIndex >= 0) return (localIndex % hueCount) + 1;
  let sum = 0;
  for (const character of voice) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (sum % hueCount) + 1;
}

export const voiceInitial = (voice: string): string =>
  (/[\p{L}\p{N}]/u.exec(voice)?.[0] ?? "?").toUpperCase();
