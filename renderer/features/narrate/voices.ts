// Voices for the picker, and how each is marked: a letter and a hue. Pure.

import type { ModelDetails } from "../../../main/contract/studio-api.ts";
import { localVoices } from "../../stores/voices.ts";

/** OpenAI's, which providers that follow its interface know. */
const widelyKnown = [
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
const hues = 6;

/** A model nobody offers at the moment is taken for one of this machine. */
export const isLocalModel = (models: readonly ModelDetails[], id: string): boolean =>
  models.filter((model) => model.id === id).every(({ channel }) => channel === "local");

/** The chosen one is always among them. */
export function voicesOf(isLocal: boolean, chosen: string): readonly string[] {
  const voices: readonly string[] = isLocal ? localVoices : widelyKnown;
  return voices.includes(chosen) ? voices : [...voices, chosen];
}

/** 1 to 6: this machine's voices have one each. */
export function hueOf(voice: string): number {
  const own = (localVoices as readonly string[]).indexOf(voice);
  if (own >= 0) return (own % hues) + 1;
  let sum = 0;
  for (const sign of voice) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9973;
  return (sum % hues) + 1;
}

export const initialOf = (voice: string): string =>
  (/[\p{L}\p{N}]/u.exec(voice)?.[0] ?? "?").toUpperCase();
