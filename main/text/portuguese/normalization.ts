// What a Brazilian Portuguese text says in digits, signs and abbreviations, as it is read aloud.

import { type AcronymWords, readLabel } from "../normalization/acronyms.ts";
import { type LanguageWords, createNormalizer } from "../normalization/normalizer.ts";
import { spellDigits } from "../normalization/numbers.ts";
import type { Time } from "../normalization/times.ts";
import { abbreviations } from "./abbreviations.ts";
import { ordinalWords, portugueseNumbers } from "./numbers.ts";
import { romanRules } from "./roman.ts";
import { money, units } from "./units.ts";

const { cardinal } = portugueseNumbers;
const standalone = (digits: string): string => cardinal(digits, {});

function readTime({ hour, minute, second, hasUnit }: Time): string {
  const hours = cardinal(String(hour), { noun: "feminine" });
  const unit = hour < 2 ? "hora" : "horas";
  if (second !== undefined)
    return `${hours} ${unit}, ${standalone(String(minute))} minutos e ${standalone(String(second))} segundos`;
  if (minute === 0) return hour === 12 && !hasUnit ? "meio-dia" : `${hours} ${unit}`;
  return `${hours} e ${standalone(String(minute))}`;
}

/** On the telephone six is "meia", half a dozen, since it sounds too much like "três". */
const telephoneDigits = portugueseNumbers.digitNames.map((name) =>
  name === "seis" ? "meia" : name,
);
const readTelephoneGroup = (group: string): string =>
  group.length === 2 && !group.startsWith("0")
    ? standalone(group)
    : spellDigits(group, { digitNames: telephoneDigits });

const acronyms: AcronymWords = {
  letterNames:
    "a,bê,cê,dê,é,efe,gê,agá,i,jota,cá,ele,eme,ene,ó,pê,quê,erre,esse,tê,u,vê,dábliu,xis,ípsilon,zê".split(
      ",",
    ),
  spelled: "CEO SOS",
  words: "OK CEP",
};

const words: LanguageWords = {
  ownRules: [
    ...romanRules,
    [/(?<=[Aa]nos )'?(\d0)(?!\d)/g, (_, decade = "") => standalone(decade)],
    [
      /(?<=CEP:? )(\d{5})-?(\d{3})(?!\d)/g,
      (_, area = "", rest = "") =>
        `${spellDigits(area, portugueseNumbers)}, ${spellDigits(rest, portugueseNumbers)}`,
    ],
  ],
  addresses: {
    signNames: new Map([
      [".", "ponto"],
      ["@", "arroba"],
      ["/", "barra"],
      [":", "dois pontos"],
      ["_", "underline"],
      ["-", "traço"],
      ["?", "interrogação"],
      ["=", "igual"],
      ["&", "e"],
      ["#", "cerquilha"],
      ["+", "mais"],
      ["%", "por cento"],
      ["~", "til"],
    ]),
    readLabel: (label) => readLabel(label, acronyms),
    countryDomains: "br|pt",
    hashtag: "hashtag",
    at: "arroba",
  },
  abbreviations,
  dates: {
    months:
      "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split(
        " ",
      ),
    shortMonths: "jan fev mar abr mai jun jul ago set out nov dez".split(" "),
    shortWeekdays: new Map([
      ["seg", "segunda"],
      ["ter", "terça"],
      ["qua", "quarta"],
      ["qui", "quinta"],
      ["sex", "sexta"],
      ["sáb", "sábado"],
      ["dom", "domingo"],
    ]),
    ofMonth: " de ",
    ofYear: " de ",
    firstDay: "primeiro",
    cardinal: standalone,
    readYear: standalone,
  },
  times: { readTime, until: "às", beforeTimes: "às " },
  codes: {
    telephone: [
      // Two years are a range.
      new RegExp(
        String.raw`(?<![\p{L}\p{N}.,])(?!(?:1\d|20)\d\d-(?:1\d|20)\d\d(?!\d))` +
          String.raw`(?:\(\d{2}\) ?|\d{2} )?9?[ .]?\d{4}[-.]\d{4}(?![\p{L}\p{N}-]|[.,]\d)`,
        "gu",
      ),
    ],
    readGroup: readTelephoneGroup,
    readPrefix: standalone,
    readDigits: (digits) => spellDigits(digits, portugueseNumbers),
    plus: "mais",
  },
  ordinals: {
    suffixes: new Map([
      ["º", { gender: "masculine" }],
      ["°", { gender: "masculine" }],
      ["ª", { gender: "feminine" }],
      ["os", { gender: "masculine", plural: true }],
      ["as", { gender: "feminine", plural: true }],
    ]),
    ordinal: ordinalWords,
  },
  money,
  units,
  numerals: {
    range: (from) => `${from} a `,
    half: "um meio",
    halfOf: (noun, gender) => `${gender === "feminine" ? "meia" : "meio"} ${noun}`,
    andHalf: (gender) => (gender === "feminine" ? "e meia" : "e meio"),
    fraction: (top, bottom) => {
      const part = bottom === 3 ? "terço" : ordinalWords(bottom, "masculine");
      return `${standalone(top)} ${part}${top === "1" ? "" : "s"}`;
    },
    and: "e",
    outOf: "de",
    minus: "menos",
    plus: "mais",
    by: "por",
  },
  numbers: portugueseNumbers,
  acronyms,
  symbols: {
    "%": "por cento",
    "‰": "por mil",
    "&": "e",
    "+": "mais",
    "=": "igual a",
    "×": "vezes",
    "÷": "dividido por",
    "±": "mais ou menos",
    "≈": "aproximadamente",
    "≠": "diferente de",
    "≤": "menor ou igual a",
    "≥": "maior ou igual a",
    "<": "menor que",
    ">": "maior que",
    "√": "raiz quadrada de",
    "∞": "infinito",
    "@": "arroba",
    "°": "graus",
    "§": "parágrafo",
    $: "dólares",
    "£": "libras",
    "€": "euros",
    "¥": "ienes",
    "#": "número",
  },
};

export const normalizePortuguese = createNormalizer(words);
