// What sets a voice apart, to be described in words.

import type { ModelVoice } from "./models.ts";

export type VoiceTrait = "low" | "high" | "slow" | "fast" | "even" | "lively" | "medium";

/** `medium` alone for a voice that is so in everything; none if nothing is known. */
export function voiceTraits({
  register,
  tempo,
  melody,
}: Pick<ModelVoice, "register" | "tempo" | "melody">): readonly VoiceTrait[] {
  const known = [register, tempo, melody].filter((trait) => trait !== undefined);
  const special = known.filter((trait) => trait !== "medium");
  return special.length > 0 || known.length < 3 ? special : ["medium"];
}
