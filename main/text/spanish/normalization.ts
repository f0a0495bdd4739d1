// What a Spanish text says in digits, signs and abbreviations, as it is read aloud.

import { type AcronymWords, readLabel } from "../normalization/acronyms.ts";
import { type LanguageWords, createNormalizer } from "../normalization/normalizer.ts";
import { readDigitGroup, spellDigits } from "../normalization/numbers.ts";
import type { Time } from "../normalization/times.ts";
import { abbreviations } from "./abbreviations.ts";
import { ordinalWords, spanishNumbers } from "./numbers.ts";
import { romanRules } from "./roman.ts";
import { money, units } from "./units.ts";

const { cardinal } = spanishNumbers;
const standalone = (value: number | string): string => cardinal(String(value), {});

function readTime({ hour, minute, second, hasUnit, meridiem }: Time): string {
  const hours = cardinal(String(hour), { noun: "feminine", nextWord: "horas" });
  const minutes =
    minute === 0 ? "" : minute < 10 ? `cero ${standalone(minute)}` : standalone(minute);
  const unit = hour === 1 ? "hora" : "horas";
  if (second !== undefined) {
    const count = (value: number, name: string): string =>
      `${cardinal(String(value), { noun: "masculine" })} ${name}${value === 1 ? "" : "s"}`;
    return `${hours} ${unit}, ${count(minute, "minuto")} y ${count(second, "segundo")}`;
  }
  const dayPart =
    meridiem === undefined
      ? ""
      : meridiem === "am"
        ? hour < 6 || hour === 12
          ? " de la madrugada"
          : " de la mañana"
        : hour === 12
          ? " del mediodía"
          : hour < 8
            ? " de la tarde"
            : " de la noche";
  const withUnit = meridiem === undefined && (hasUnit || (minute === 0 && hour > 12));
  return `${hours}${minutes === "" ? "" : ` ${minutes}`}${withUnit ? ` ${unit}` : ""}${dayPart}`;
}

const acronyms: AcronymWords = {
  letterNames:
    "a,be,ce,de,e,efe,ge,hache,i,jota,ka,ele,eme,ene,o,pe,cu,erre,ese,te,u,uve,uve doble,equis,i griega,zeta".split(
      ",",
    ),
  spelled: "SOS CEO",
  words: "OVNI PSOE OK",
};

const words: LanguageWords = {
  ownRules: [
    ...romanRules,
    [/(?<=[Aa]ños )'?(\d0)(?!\d)/g, (_, decade = "") => standalone(decade)],
  ],
  addresses: {
    signNames: new Map([
      [".", "punto"],
      ["@", "arroba"],
      ["/", "barra"],
      [":", "dos puntos"],
      ["_", "guion bajo"],
      ["-", "guion"],
      ["?", "interrogación"],
      ["=", "igual"],
      ["&", "y"],
      ["#", "almohadilla"],
      ["+", "más"],
      ["%", "por ciento"],
      ["~", "virgulilla"],
    ]),
    readLabel: (label) => readLabel(label, acronyms),
    countryDomains: "es|mx|ar|cl|pe|uy",
    hashtag: "almohadilla",
    at: "arroba",
  },
  abbreviations,
  dates: {
    months:
      "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(
        " ",
      ),
    shortMonths: "ene feb mar abr may jun jul ago sep|sept|set oct nov dic".split(" "),
    shortWeekdays: new Map([
      ["lun", "lunes"],
      ["mar", "martes"],
      ["mié", "miércoles"],
      ["jue", "jueves"],
      ["vie", "viernes"],
      ["sáb", "sábado"],
      ["dom", "domingo"],
    ]),
    ofMonth: " de ",
    ofYear: " de ",
    cardinal: standalone,
    readYear: standalone,
  },
  times: { readTime, until: "a", beforeTimes: "a las? |las |de |desde las? |hasta las? " },
  codes: {
    telephone: [
      /(?<![\p{L}\p{N}.,])[6-9]\d{2}(?:[ .-]\d{3}){2}(?![\p{L}\p{N}]|[.,]\d| ?[€$%])/gu,
      /(?<![\p{L}\p{N}.,])[6-9]\d{2}(?:[ .-]\d{2}){3}(?![\p{L}\p{N}]|[.,]\d| ?[€$%])/gu,
      /(?<![\p{L}\p{N}.,])[89]\d(?:[ .-]\d{3})(?:[ .-]\d{2}){2}(?![\p{L}\p{N}]|[.,]\d| ?[€$%])/gu,
      /(?<![\p{L}\p{N}.,])[6-9]\d{8}(?![\p{L}\p{N}]|[.,]\d| ?[€$%])/gu,
    ],
    readGroup: (group) => readDigitGroup(group, spanishNumbers),
    readPrefix: standalone,
    readDigits: (digits) => spellDigits(digits, spanishNumbers),
    plus: "más",
  },
  ordinals: {
    suffixes: new Map([
      ["º", { gender: "masculine" }],
      ["°", { gender: "masculine" }],
      ["ª", { gender: "feminine" }],
      ["er", { gender: "masculine" }],
      ["os", { gender: "masculine", plural: true }],
      ["as", { gender: "feminine", plural: true }],
    ]),
    ordinal: (value, gender, nextWord, suffix) =>
      ordinalWords(
        value,
        gender,
        suffix === "er" ||
          (nextWord !== "" &&
            spanishNumbers.genderOf(nextWord) !== undefined &&
            !/^(?:izda|dcha|izquierda|derecha)$/.test(nextWord)),
      ),
  },
  money,
  units,
  numerals: {
    range: (from) => `${from} a `,
    half: "un medio",
    halfOf: (noun, gender) => `${gender === "feminine" ? "media" : "medio"} ${noun}`,
    andHalf: (gender) => (gender === "feminine" ? "y media" : "y medio"),
    fraction: (top, bottom) => {
      const part = bottom === 3 ? "tercio" : ordinalWords(bottom, "masculine", false);
      return `${cardinal(top, { noun: "masculine" })} ${part}${top === "1" ? "" : "s"}`;
    },
    and: "y",
    outOf: "sobre",
    minus: "menos",
    plus: "más",
    by: "por",
  },
  numbers: spanishNumbers,
  acronyms,
  symbols: {
    "%": "por ciento",
    "‰": "por mil",
    "&": "y",
    "+": "más",
    "=": "igual a",
    "×": "por",
    "÷": "dividido por",
    "±": "más menos",
    "≈": "aproximadamente",
    "≠": "distinto de",
    "≤": "menor o igual que",
    "≥": "mayor o igual que",
    "<": "menor que",
    ">": "mayor que",
    "√": "raíz cuadrada de",
    "∞": "infinito",
    "@": "arroba",
    "°": "grados",
    "§": "sección",
    $: "dólares",
    "£": "libras",
    "€": "euros",
    "¥": "yenes",
    "#": "número",
  },
};

export const normalizeSpanish = createNormalizer(words);
