// Voices of Kokoro: the first letter of a name tells the language, the second whether it is a woman's or a man's.

import type { ModelVoice } from "../contract/models.ts";

const accents: Readonly<Record<string, readonly [language: string, region: string, string]>> = {
  a: ["en", "US", "American"],
  b: ["en", "GB", "British"],
  e: ["es", "ES", "Spanish"],
  f: ["fr", "FR", "French"],
  h: ["hi", "IN", "Hindi"],
  i: ["it", "IT", "Italian"],
  j: ["ja", "JP", "Japanese"],
  p: ["pt", "BR", "Brazilian"],
  z: ["zh", "CN", "Chinese"],
};

/** Undefined for a name of a language that Kokoro does not know. */
export function toKokoroVoice(id: string): ModelVoice | undefined {
  const known = accents[id.charAt(0)];
  if (known === undefined) return undefined;
  const [language, region, accent] = known;
  const isWoman = id.charAt(1) === "f";
  return {
    id,
    name: id.charAt(3).toUpperCase() + id.slice(4),
    character: `${accent} ${isWoman ? "woman" : "man"}`,
    language,
    region,
    gender: isWoman ? "female" : "male",
  };
}
