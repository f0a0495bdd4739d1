// What a French text says in digits, signs and abbreviations, as it is read aloud.

import { type AcronymWords, readLabel } from "../normalization/acronyms.ts";
import { type LanguageWords, createNormalizer } from "../normalization/normalizer.ts";
import { readDigitGroup, spellDigits } from "../normalization/numbers.ts";
import type { Time } from "../normalization/times.ts";
import { abbreviations } from "./abbreviations.ts";
import { frenchNumbers, ordinalWords, serialNumber } from "./numbers.ts";
import { romanRules } from "./roman.ts";
import { money, units } from "./units.ts";

const { cardinal } = frenchNumbers;
const feminineCount = (value: number): string =>
  cardinal(String(value), { noun: "feminine", nextWord: "heures" });

function readTime({ hour, minute, second }: Time): string {
  const hours = `${feminineCount(hour)} ${hour < 2 ? "heure" : "heures"}`;
  if (second !== undefined) {
    const minutes = `${feminineCount(minute)} ${minute < 2 ? "minute" : "minutes"}`;
    return `${hours} ${minutes} et ${feminineCount(second)} ${second < 2 ? "seconde" : "secondes"}`;
  }
  return minute === 0 ? hours : `${hours} ${cardinal(String(minute), {})}`;
}

const acronyms: AcronymWords = {
  letterNames:
    "a,bé,cé,dé,e,effe,gé,ache,i,ji,ka,elle,emme,enne,o,pé,cu,erre,esse,té,u,vé,double vé,ixe,i grec,zède".split(
      ",",
    ),
  spelled: "PIB RER IRA CIA SOS RIB PME",
  words: "OK OVNI SIDA",
};
const fractionNames = ["", "", "", "tiers", "quart"];

const words: LanguageWords = {
  ownRules: [
    [/(?<!\p{L})S(te?)-(?=\p{Lu})/gu, (_, end = "") => (end === "te" ? "Sainte-" : "Saint-")],
    ...romanRules,
    [/(?<=années )'?(\d0)(?!\d)/g, (_, decade = "") => serialNumber(decade)],
    [/(?<![\p{L}\d])24 ?h(?:eures)?\/24(?!\d)/gu, "vingt-quatre heures sur vingt-quatre"],
    [/(?<![\p{L}\d])7 ?j(?:ours)?\/7(?!\d)/gu, "sept jours sur sept"],
  ],
  addresses: {
    signNames: new Map([
      [".", "point"],
      ["@", "arobase"],
      ["/", "slash"],
      [":", "deux points"],
      ["_", "tiret bas"],
      ["-", "tiret"],
      ["?", "point d'interrogation"],
      ["=", "égale"],
      ["&", "et"],
      ["#", "dièse"],
      ["+", "plus"],
      ["%", "pour cent"],
      ["~", "tilde"],
    ]),
    readLabel: (label) => readLabel(label, acronyms),
    countryDomains: "be|ch|ca|lu",
    hashtag: "hashtag",
    at: "arobase",
  },
  abbreviations,
  dates: {
    months:
      "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(
        " ",
      ),
    shortMonths: "janv|jan févr|fév mars avr mai juin juil août sept oct nov déc".split(" "),
    shortWeekdays: new Map([
      ["lun", "lundi"],
      ["mar", "mardi"],
      ["mer", "mercredi"],
      ["jeu", "jeudi"],
      ["ven", "vendredi"],
      ["sam", "samedi"],
      ["dim", "dimanche"],
    ]),
    ofMonth: " ",
    ofYear: " ",
    firstDay: "premier",
    cardinal: (digits) => cardinal(digits, {}),
    readYear: serialNumber,
  },
  times: { readTime, until: "à", beforeTimes: "à partir de " },
  codes: {
    telephone: [/(?<![\p{L}\p{N}.,])0\d(?:[ .-]?\d\d){4}(?![\p{L}\p{N}]|[.,]\d)/gu],
    readGroup: (group) => readDigitGroup(group, frenchNumbers),
    readPrefix: (digits) => cardinal(digits, {}),
    readDigits: (digits) => spellDigits(digits, frenchNumbers),
    plus: "plus",
  },
  ordinals: {
    suffixes: new Map([
      ["er", { gender: "masculine" }],
      ["re", { gender: "feminine" }],
      ["ère", { gender: "feminine" }],
      ["e", { gender: "masculine" }],
      ["es", { gender: "masculine", plural: true }],
      ["è", { gender: "masculine" }],
      ["ème", { gender: "masculine" }],
      ["eme", { gender: "masculine" }],
      ["nd", { gender: "masculine" }],
      ["nde", { gender: "feminine" }],
    ]),
    ordinal: (value, gender, _nextWord, suffix) =>
      suffix.startsWith("nd")
        ? gender === "feminine"
          ? "seconde"
          : "second"
        : ordinalWords(value, gender),
  },
  money,
  units,
  numerals: {
    range: (from) => `${from} à `,
    half: "un demi",
    halfOf: (noun, gender) => `${gender === "feminine" ? "une" : "un"} demi-${noun}`,
    andHalf: (gender) => (gender === "feminine" ? "et demie" : "et demi"),
    fraction: (top, bottom) => {
      const part = fractionNames[bottom] ?? ordinalWords(bottom, "masculine");
      return `${cardinal(top, {})} ${part}${top === "1" || part.endsWith("s") ? "" : "s"}`;
    },
    and: "et",
    outOf: "sur",
    minus: "moins",
    plus: "plus",
    by: "par",
  },
  numbers: frenchNumbers,
  acronyms,
  symbols: {
    "%": "pour cent",
    "‰": "pour mille",
    "&": "et",
    "+": "plus",
    "=": "égale",
    "×": "fois",
    "÷": "divisé par",
    "±": "plus ou moins",
    "≈": "environ",
    "≠": "différent de",
    "≤": "inférieur ou égal à",
    "≥": "supérieur ou égal à",
    "<": "inférieur à",
    ">": "supérieur à",
    "√": "racine carrée de",
    "∞": "infini",
    "@": "arobase",
    "°": "degrés",
    "§": "paragraphe",
    $: "dollars",
    "£": "livres",
    "€": "euros",
    "¥": "yens",
    "#": "numéro",
  },
};

export const normalizeFrench = createNormalizer(words);
