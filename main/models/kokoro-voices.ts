// Voices of Kokoro: the first letter of a name tells the language, the second whether it is a woman's or a man's. Low
// and high ones are those whose median pitch in a sentence was measured below 165 or above 200 Hz (women), below 115 or
// above 140 Hz (men).

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

const low: ReadonlySet<string> = new Set(
  (
    "af_alloy af_kore af_nicole af_nova " +
    "am_echo am_michael am_onyx am_puck bm_lewis em_santa im_nicola"
  ).split(" "),
);
const high: ReadonlySet<string> = new Set(
  (
    "af_jessica bf_alice bf_isabella ff_siwis hf_alpha if_sara " +
    "am_eric am_santa bm_george pm_santa"
  ).split(" "),
);

/**
 * Of the model that comes with the app, in the order of its `voices.bin`. The Japanese and Chinese ones are left out,
 * since nothing here reads these languages well enough for them.
 */
const shippedIds = (
  "af_alloy af_aoede af_bella af_heart af_jessica af_kore af_nicole af_nova af_river " +
  "af_sarah af_sky am_adam am_echo am_eric am_fenrir am_liam am_michael am_onyx am_puck " +
  "am_santa bf_alice bf_emma bf_isabella bf_lily bm_daniel bm_fable bm_george bm_lewis " +
  "ef_dora em_alex em_santa ff_siwis hf_alpha hf_beta hm_omega hm_psi if_sara im_nicola " +
  "pf_dora pm_alex pm_santa"
).split(" ");

const toTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Undefined for a name of a language that Kokoro does not know. */
export function toKokoroVoice(id: string): ModelVoice | undefined {
  const known = accents[id.charAt(0)];
  if (known === undefined) return undefined;
  const [language, region, accent] = known;
  const isWoman = id.charAt(1) === "f";
  return {
    id,
    name: toTitle(id.slice(3) || id),
    character: `${accent} ${isWoman ? "woman" : "man"}`,
    language,
    region,
    gender: isWoman ? "female" : "male",
    register: low.has(id) ? "low" : high.has(id) ? "high" : "medium",
  };
}

export const kokoroVoices = shippedIds.flatMap((id) => toKokoroVoice(id) ?? []);
export const kokoroLanguages = [...new Set(kokoroVoices.map(({ language }) => language))].map(
  (code) => ({ code }),
);
