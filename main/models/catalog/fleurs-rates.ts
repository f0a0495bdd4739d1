// Error rates on the test part of FLEURS that the project transcribe.cpp publishes: of weights in 8 bits, all measured
// in one way, so they can be compared. Those above 100 percent are of models that write more than was said.

import type { PublishedRates } from "./common.ts";

/** Weights as transcribe.cpp names them. */
type Weights =
  | `whisper-${"tiny" | "base" | "small" | "medium" | "large-v3-turbo" | "tiny.en" | "base.en"}`
  | "moonshine-base"
  | "parakeet-tdt-0.6b-v2"
  | "parakeet-tdt-0.6b-v3"
  | "canary-180m-flash"
  | "sensevoice-small";

/** Written without spaces: characters are counted. */
const withoutSpaces = ["ja", "km", "ko", "lo", "my", "th", "yue", "zh"];

const whisperSizes = [
  "whisper-tiny",
  "whisper-base",
  "whisper-small",
  "whisper-medium",
  "whisper-large-v3-turbo",
];
/** In the order of the sizes; Cantonese came with the last one. */
const whisperPercent: Readonly<Record<string, readonly (number | undefined)[]>> = {
  af: [95.3, 83.05, 62.2, 47.33, 36.06],
  am: [122.14, 150.97, 128.3, 116.27, 146.29],
  ar: [67.48, 52.74, 32.15, 21.9, 15.48],
  as: [100.56, 100.6, 104.15, 101.63, 101.22],
  az: [94.73, 81.22, 51.64, 34.57, 23.15],
  be: [96.03, 92.72, 76.85, 61.87, 50.65],
  bg: [84.87, 70.53, 40.39, 23, 13.58],
  bn: [100.37, 100.73, 103.04, 102.52, 67.53],
  bs: [87.22, 71.53, 42.35, 26.69, 14.77],
  ca: [46.33, 29.48, 14.19, 8.02, 5.42],
  cs: [87.17, 70.14, 40.57, 22.85, 11.81],
  cy: [116.68, 98.19, 64.47, 40.08, 36.42],
  da: [88.42, 63.85, 35.52, 21.17, 13.6],
  de: [31.56, 19.69, 9.86, 6.23, 4.54],
  el: [77.76, 59.14, 33.98, 20.06, 13.26],
  en: [13.84, 9.88, 6.51, 4.64, 4.38],
  es: [18.95, 11.15, 5.92, 3.8, 3.12],
  et: [101.33, 81.71, 54.79, 31.52, 18.44],
  fa: [100.18, 87.72, 58.44, 42.57, 30.56],
  fi: [68.58, 49.46, 26.48, 14.67, 8.29],
  fr: [44.19, 27.91, 13.3, 8.07, 5.51],
  gl: [59.44, 50.06, 32.72, 22.24, 12.76],
  gu: [100.26, 100.4, 104.02, 104.11, 78.95],
  ha: [105.17, 108.15, 94.21, 95.12, 97.24],
  he: [77.35, 65.56, 46.06, 33.69, 29.71],
  hi: [101.52, 100.01, 42.05, 26.09, 18.85],
  hr: [84.36, 64.23, 36.05, 21.19, 12.54],
  hu: [90.54, 72.26, 42.39, 26.07, 15.07],
  hy: [110.5, 127.56, 87.84, 58.42, 45.62],
  id: [60.49, 38.02, 18.02, 10.79, 7.2],
  is: [115.88, 99.32, 74.54, 51.6, 21.39],
  it: [31.24, 17.26, 7.97, 4.17, 2.77],
  ja: [39.38, 25.28, 12.81, 7.35, 4.82],
  ka: [110.34, 117.78, 130.64, 128.01, 109.21],
  kk: [136.56, 99.79, 73.54, 53.09, 21.27],
  km: [111.78, 134.48, 116.96, 108.92, 95.2],
  kn: [100.32, 102.88, 99.65, 87.3, 32.57],
  ko: [19.07, 12.98, 7.7, 5.46, 5.24],
  lb: [99.69, 107.78, 110.02, 98.33, 87.21],
  ln: [103.55, 102.73, 98.65, 92.09, 75.39],
  lo: [105.48, 104.35, 101.52, 101.16, 115.41],
  lt: [105, 91.78, 70.21, 43.34, 25.11],
  lv: [95.98, 84.6, 57.42, 33.58, 19.53],
  mi: [96.27, 81.65, 62.82, 95.79, 48.91],
  mk: [78.61, 63.95, 41.53, 24.75, 17.85],
  ml: [100.03, 102.84, 100.35, 101, 98.75],
  mn: [110.21, 124.42, 142.37, 110.55, 101.49],
  mr: [100.82, 100.42, 63.66, 58.43, 36.12],
  ms: [62.17, 40.87, 21.48, 13.23, 8.64],
  mt: [99.85, 103.46, 97.32, 85.06, 70.92],
  my: [108.53, 130.63, 132.91, 117.51, 121.67],
  ne: [101.3, 101.15, 70.48, 54.08, 43.15],
  nl: [54.86, 36.75, 18.48, 10.4, 5.98],
  no: [67.36, 49.26, 25.53, 13.66, 9.1],
  oc: [96.44, 88.62, 90.43, 81.55, 70.94],
  pa: [100.54, 101.13, 101.31, 103.19, 99.53],
  pl: [54.22, 35.68, 16.82, 8.59, 5.81],
  ps: [101.04, 101.19, 93.61, 105.77, 91.81],
  pt: [24.07, 13.91, 7.65, 5.07, 4.17],
  ro: [82.43, 62.16, 33.88, 24.17, 10.9],
  ru: [35.64, 22.92, 11.9, 7.3, 5.93],
  sd: [105.42, 103.23, 112.24, 132.27, 122.1],
  sk: [82.2, 65.77, 36.05, 18.73, 10.21],
  sl: [91.29, 77.9, 52.7, 33.98, 20.56],
  sn: [118.33, 134.76, 132.9, 134.28, 110.94],
  so: [105.31, 107.06, 103.39, 102.63, 101.29],
  sr: [89.2, 69.25, 44.91, 55.14, 32.36],
  sv: [59.36, 42.4, 23.1, 12.47, 8.72],
  sw: [99.96, 100.69, 76.22, 57.09, 33.96],
  ta: [87.46, 58.84, 35.35, 23.72, 27.41],
  te: [101.18, 101.77, 102.23, 102.69, 63.03],
  tg: [102.39, 108.3, 86.78, 76.32, 106.06],
  th: [54.82, 38.1, 22.55, 16.08, 13.15],
  tl: [70.63, 49.32, 28.52, 18.36, 12.08],
  tr: [47.98, 31.09, 15.95, 9.35, 6.97],
  uk: [57.49, 42.03, 20.42, 11.59, 7.31],
  ur: [71.42, 55.42, 39.75, 28.67, 23.19],
  uz: [103.19, 111.42, 114.92, 115.02, 102.52],
  vi: [64.49, 42.6, 22.47, 13.74, 9.48],
  yo: [102.29, 103.28, 118.5, 109, 99.38],
  yue: [undefined, undefined, undefined, undefined, 34.62],
  zh: [41.91, 36.21, 23.06, 13.13, 8.5],
};

const percentOf: Partial<Record<Weights, Readonly<Record<string, number>>>> = {
  "whisper-tiny.en": { en: 10.72 },
  "whisper-base.en": { en: 7.6 },
  "moonshine-base": { en: 12.25 },
  "parakeet-tdt-0.6b-v2": { en: 4.11 },
  "parakeet-tdt-0.6b-v3": {
    bg: 12.81,
    cs: 12.31,
    da: 18.64,
    de: 5.24,
    el: 35.33,
    en: 4.83,
    es: 3.65,
    et: 17.96,
    fi: 13.3,
    fr: 5.3,
    hr: 12.59,
    hu: 16.06,
    it: 3.02,
    lt: 22.2,
    lv: 23.77,
    mt: 20.63,
    nl: 7.66,
    pl: 7.37,
    pt: 4.96,
    ro: 12.62,
    ru: 6.54,
    sk: 10.19,
    sl: 24.3,
    sv: 15.25,
    uk: 6.84,
  },
  "canary-180m-flash": { de: 7.33, en: 5.98, es: 6.54, fr: 8.53 },
  "sensevoice-small": { en: 7.14, ja: 7.63, ko: 8.27, yue: 37.44, zh: 10.12 },
};

function ofWhisper(weights: Weights): Record<string, number> {
  const column = whisperSizes.indexOf(weights);
  return Object.fromEntries(
    Object.entries(whisperPercent).flatMap(([code, percents]) => {
      const percent = percents[column];
      return percent === undefined ? [] : [[code, percent]];
    }),
  );
}

export const fleursRates = (weights: Weights): PublishedRates => ({
  testSet: "FLEURS, transcribe.cpp",
  url: `https://github.com/handy-computer/transcribe.cpp/blob/main/catalog/${weights}.json`,
  percent: percentOf[weights] ?? ofWhisper(weights),
  inCharacters: withoutSpaces,
});
