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
 * @param chosen keys of the voices to compare; empty: any
 * @param random 0 to below 1
 * @returns undefined if it would be the same voice twice
 */
export function drawPair(
  voices: readonly VotedVoice[],
  chosen: readonly [string, string],
  random: () => number = Math.random,
): readonly [VotedVoice, VotedVoice] | undefined {
  const draw = (key: string, other: string): VotedVoice | undefined => {
    const candidates = voices.filter((voice) =>
      key === "" ? voiceKey(voice) !== other : voiceKey(voice) === key,
    );
    return candidates[Math.floor(random() * candidates.length)];
  };
  const first = draw(chosen[0], chosen[1]);
  const second = first && draw(chosen[1], voiceKey(first));
  if (second === undefined || voiceKey(first as VotedVoice) === voiceKey(second)) return undefined;
  return random() < 0.5 ? [first as VotedVoice, second] : [second, first as VotedVoice];
}
