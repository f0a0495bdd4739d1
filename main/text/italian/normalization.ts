// What an Italian text says in digits, signs and abbreviations, as it is read aloud.

import { type AcronymWords, readLabel } from "../normalization/acronyms.ts";
import { type LanguageWords, createNormalizer } from "../normalization/normalizer.ts";
import { spellDigits } from "../normalization/numbers.ts";
import type { Time } from "../normalization/times.ts";
import { abbreviations } from "./abbreviations.ts";
import { italianNumbers, ordinalWords } from "./numbers.ts";
import { romanRules } from "./roman.ts";
import { money, units } from "./units.ts";

const standalone = (value: number | string): string => italianNumbers.cardinal(String(value), {});

function readTime({ hour, minute, second }: Time): string {
  const hours = hour === 1 ? "una" : standalone(hour);
  const minutes =
    minute === 0 ? "" : minute < 10 ? ` e zero ${standalone(minute)}` : ` e ${standalone(minute)}`;
  if (second === undefined) return hours + minutes;
  return `${hours} ${hour === 1 ? "ora" : "ore"}, ${standalone(minute)} minuti e ${standalone(second)} secondi`;
}

/** The article of a saint: "San Pietro", "Santo Stefano", "Sant'Anna", "Santa Maria". */
function saint(name: string): string {
  if (/^[AEIOU]/.test(name)) return "Sant'";
  if (name.endsWith("a") && !/^(?:Luca|Andrea|Nicola|Barnaba)$/.test(name)) return "Santa ";
  return /^S[^aeiou]/.test(name) ? "Santo " : "San ";
}

const acronyms: AcronymWords = {
  letterNames: (
    "a,bi,ci,di,e,effe,gi,acca,i,i lunga,cappa,elle,emme,enne,o,pi,cu,erre,esse,ti,u,vu,doppia " +
    "vu,ics,ipsilon,zeta"
  ).split(","),
  spelled: "SOS CEO",
  words: "OK UE ISTAT RAI",
};

const words: LanguageWords = {
  ownRules: [
    [/(?<!\p{L})SS?\. ?(?=(\p{Lu}\p{Ll}{2,30}))/gu, (_, name = "") => saint(name)],
    ...romanRules,
    [
      /(?<=(?:anni|[Dd]el|[Nn]el|[Dd]al|[Aa]l|[Ii]l) )'(\d\d)(?!\d)/g,
      (_, year = "") => standalone(Number(year)),
    ],
    [/(?<=anni )(\d0)(?!\d)/g, (_, decade = "") => standalone(decade)],
  ],
  addresses: {
    signNames: new Map([
      [".", "punto"],
      ["@", "chiocciola"],
      ["/", "barra"],
      [":", "due punti"],
      ["_", "trattino basso"],
      ["-", "trattino"],
      ["?", "punto interrogativo"],
      ["=", "uguale"],
      ["&", "e"],
      ["#", "cancelletto"],
      ["+", "più"],
      ["%", "per cento"],
      ["~", "tilde"],
    ]),
    // "www" is said with the short name of the letter.
    readLabel: (label) => (/^www$/i.test(label) ? "vu vu vu" : readLabel(label, acronyms)),
    countryDomains: "it|ch",
    hashtag: "hashtag",
    at: "chiocciola",
  },
  abbreviations,
  dates: {
    months:
      "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(
        " ",
      ),
    shortMonths: "gen|genn feb|febb mar apr mag giu|giugn lug|lugl ago set|sett ott nov dic".split(
      " ",
    ),
    shortWeekdays: new Map([
      ["lun", "lunedì"],
      ["mar", "martedì"],
      ["mer", "mercoledì"],
      ["gio", "giovedì"],
      ["ven", "venerdì"],
      ["sab", "sabato"],
      ["dom", "domenica"],
    ]),
    ofMonth: " ",
    ofYear: " ",
    firstDay: "primo",
    cardinal: standalone,
    readYear: standalone,
  },
  times: {
    readTime,
    until: "alle",
    beforeTimes: "ore |alle |dalle |le |all'|dall'",
  },
  codes: {
    telephone: [
      /(?<![\p{L}\p{N}.,])0\d{1,3}[ ./-]\d{5,8}(?![\p{L}\p{N}]|[.,]\d)/gu,
      /(?<![\p{L}\p{N}.,])3\d{2}[ ./-]\d{6,7}(?![\p{L}\p{N}]|[.,]\d)/gu,
      /(?<![\p{L}\p{N}.,])[38]\d{2}(?:[ .]\d{2,4}){2,3}(?![\p{L}\p{N}]|[.,]\d| ?[€$%])/gu,
    ],
    readGroup: (group) => spellDigits(group, italianNumbers),
    readPrefix: standalone,
    readDigits: (digits) => spellDigits(digits, italianNumbers),
    plus: "più",
  },
  ordinals: {
    suffixes: new Map([
      ["º", { gender: "masculine" }],
      ["°", { gender: "masculine" }],
      ["ª", { gender: "feminine" }],
    ]),
    ordinal: ordinalWords,
  },
  money,
  units,
  numerals: {
    // A score falls, a range rises: "tre a uno", "da dieci a quindici".
    range: (from, to, before) =>
      Number(from.replace(",", ".")) > Number(to.replace(",", ".")) ||
      /^(?:da|dal|dalle|dai|tra|fra)$/.test(before)
        ? `${from} a `
        : `da ${from} a `,
    half: "un mezzo",
    halfOf: (noun, gender) => `${gender === "feminine" ? "mezza" : "mezzo"} ${noun}`,
    // A plural in -e is feminine.
    andHalf: (gender, noun) =>
      gender === "feminine" || noun.endsWith("e") ? "e mezza" : "e mezzo",
    fraction: (top, bottom) => {
      const part = ordinalWords(bottom, "masculine");
      return top === "1" ? `un ${part}` : `${standalone(top)} ${part.replace(/o$/, "i")}`;
    },
    and: "e",
    outOf: "su",
    minus: "meno",
    plus: "più",
    by: "per",
  },
  numbers: italianNumbers,
  acronyms,
  symbols: {
    "%": "per cento",
    "‰": "per mille",
    "&": "e",
    "+": "più",
    "=": "uguale",
    "×": "per",
    "÷": "diviso",
    "±": "più o meno",
    "≈": "circa",
    "≠": "diverso da",
    "≤": "minore o uguale a",
    "≥": "maggiore o uguale a",
    "<": "minore di",
    ">": "maggiore di",
    "√": "radice quadrata di",
    "∞": "infinito",
    "@": "chiocciola",
    "°": "gradi",
    "§": "paragrafo",
    $: "dollari",
    "£": "sterline",
    "€": "euro",
    "¥": "yen",
    "#": "numero",
  },
};

export const normalizeItalian = createNormalizer(words);
