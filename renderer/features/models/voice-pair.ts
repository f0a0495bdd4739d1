// Voices that can be compared, and the two of a round in random order. Pure, except for chance.

import type { VotedVoice } from "../../../main/contract/measurements.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { localVoices } from "../../stores/voices.ts";

export const voiceKey = ({ model, voice }: VotedVoice): string => `${model}\n${voice}`;

/** A model that does not list its voices has those of OpenAI's clients. */
export const voicesOf = (models: readonly ListedModel[]): VotedVoice[] => [
  ...new Map(
    models
      .filter(({ kind }) => kind === "text-to-speech")
      .flatMap(({ id, voices }) =>
        (voices?.map((voice) => voice.id) ?? localVoices).map((voice) => ({ model: id, voice })),
      )
      .map((voice) => [voiceKey(voice), voice]),
  ).values(),
];

/**
 * Voices of this machine that know the language; all, if these are too few. Without aliases, or a voice could be
 * compared with itself, and without channels, which may cost money.
 */
export function drawableVoices(models: readonly ListedModel[], language: string): VotedVoice[] {
  const able = models
    .filter(({ family, languages = [] }) => family !== undefined && languages.includes(language))
    .map(({ voices, ...model }) => ({
      ...model,
      ...(voices && { voices: voices.filter((voice) => voice.language === language) }),
    }));
  const voices = voicesOf(able);
  return voices.length < 2 ? voicesOf(models) : voices;
}

/**
 * @param drawable those that may be drawn
 * @param chosen keys of the voices to compare; empty: any
 * @param random 0 to below 1
 * @returns undefined if it would be the same voice twice
 */
export function drawPair(
  { voices, drawable }: { voices: readonly VotedVoice[]; drawable: readonly VotedVoice[] },
  chosen: readonly [string, string],
  random: () => number = Math.random,
): readonly [VotedVoice, VotedVoice] | undefined {
  const draw = (key: string, other: string): VotedVoice | undefined => {
    const candidates =
      key === ""
        ? drawable.filter((voice) => voiceKey(voice) !== other)
        : voices.filter((voice) => voiceKey(voice) === key);
    return candidates[Math.floor(random() * candidates.length)];
  };
  const first = draw(chosen[0], chosen[1]);
  const second = first && draw(chosen[1], voiceKey(first));
  if (second === undefined || voiceKey(first as VotedVoice) === voiceKey(second)) return undefined;
  return random() < 0.5 ? [first as VotedVoice, second] : [second, first as VotedVoice];
}
