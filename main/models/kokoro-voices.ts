// Voices of Kokoro: the first letter of a name tells the language, the second whether it is a woman's or a man's. What
// they sound like is measured.

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

type Measured = readonly [pitchHz: number, tempoPercent: number, melodyPercent: number];

/**
 * Of two or three sentences, about six seconds: the median pitch; the letters a second and the semitones between the
 * quartiles of the pitch, both of the median voice of the language.
 */
const measured: Readonly<Record<string, Measured>> = {
  af_alloy: [137, 95, 93],
  af_aoede: [180, 108, 114],
  af_bella: [189, 99, 73],
  af_heart: [195, 104, 94],
  af_jessica: [207, 109, 108],
  af_kore: [155, 101, 139],
  af_nicole: [143, 64, 32],
  af_nova: [155, 101, 92],
  af_river: [180, 108, 73],
  af_sarah: [192, 103, 104],
  af_sky: [167, 100, 111],
  am_adam: [115, 102, 101],
  am_echo: [107, 93, 99],
  am_eric: [160, 112, 98],
  am_fenrir: [141, 100, 107],
  am_liam: [121, 105, 108],
  am_michael: [110, 87, 91],
  am_onyx: [85, 100, 87],
  am_puck: [115, 110, 134],
  am_santa: [159, 85, 222],
  bf_alice: [214, 97, 112],
  bf_emma: [178, 105, 70],
  bf_isabella: [202, 103, 68],
  bf_lily: [183, 96, 144],
  bm_daniel: [121, 98, 73],
  bm_fable: [117, 95, 146],
  bm_george: [140, 85, 76],
  bm_lewis: [83, 89, 114],
  ef_dora: [171, 102, 89],
  em_alex: [129, 100, 100],
  em_santa: [130, 99, 171],
  ff_siwis: [205, 100, 100],
  hf_alpha: [220, 99, 95],
  hf_beta: [179, 116, 94],
  hm_omega: [133, 97, 105],
  hm_psi: [138, 101, 122],
  if_sara: [220, 105, 84],
  im_nicola: [91, 95, 116],
  pf_dora: [179, 101, 100],
  pm_alex: [128, 100, 86],
  pm_santa: [129, 99, 107],
};

/** What lies between the limits is medium. */
const limits = {
  female: [165, 200],
  male: [115, 140],
  tempo: [93, 107],
  melody: [75, 133],
} as const;

function place<Low extends string, High extends string>(
  value: number,
  [low, high]: readonly [number, number],
  [lowName, highName]: readonly [Low, High],
): Low | "medium" | High {
  return value < low ? lowName : value > high ? highName : "medium";
}

function traitsOf(
  [pitchHz, tempoPercent, melodyPercent]: Measured,
  gender: "female" | "male",
): Pick<ModelVoice, "register" | "tempo" | "melody"> {
  return {
    register: place(pitchHz, limits[gender], ["low", "high"]),
    tempo: place(tempoPercent, limits.tempo, ["slow", "fast"]),
    melody: place(melodyPercent, limits.melody, ["even", "lively"]),
  };
}

const toTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Undefined for a name of a language that Kokoro does not know. */
export function toKokoroVoice(id: string): ModelVoice | undefined {
  const known = accents[id.charAt(0)];
  if (known === undefined) return undefined;
  const [language, region, accent] = known;
  const gender = id.charAt(1) === "f" ? "female" : "male";
  const figures = measured[id];
  return {
    id,
    name: toTitle(id.slice(3) || id),
    character: `${accent} ${gender === "female" ? "woman" : "man"}`,
    language,
    region,
    gender,
    ...(figures === undefined ? {} : traitsOf(figures, gender)),
  };
}

/**
 * Of the model that comes with the app, in the order of its `voices.bin`. The Japanese and Chinese ones are left out,
 * since nothing here reads these languages well enough for them.
 */
export const kokoroVoices = Object.keys(measured).flatMap((id) => toKokoroVoice(id) ?? []);
export const kokoroLanguages = [...new Set(kokoroVoices.map(({ language }) => language))].map(
  (code) => ({ code }),
);
