// What a Hindi text says in digits, signs and abbreviations, as it is read aloud.

import { normalizeCharacters } from "../normalization/characters.ts";
import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "../normalization/normalization-rules.ts";
import { cardinal, digitWords, readYear } from "./numbers.ts";

const months = "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर".split(" ");
const units = new Map([
  ["km/h", "किलोमीटर प्रति घंटा"],
  ["km", "किलोमीटर"],
  ["किमी", "किलोमीटर"],
  ["m", "मीटर"],
  ["cm", "सेंटीमीटर"],
  ["mm", "मिलीमीटर"],
  ["kg", "किलो"],
  ["g", "ग्राम"],
  ["l", "लीटर"],
  ["ml", "मिलीलीटर"],
  ["GB", "जीबी"],
  ["MB", "एमबी"],
]);
const numberPattern = String.raw`\d{1,3}(?:,\d{2,3}){1,8}(?:\.\d{1,15})?|\d{1,40}(?:\.\d{1,15})?`;

/** "साढ़े दस": half past ten; "सवा": quarter past; "पौने": quarter to. */
function readTime(hour: number, minute: number): string {
  const hourName = cardinal(String(hour));
  if (minute === 0) return `${hourName} बजे`;
  if (minute === 15) return hour === 1 ? "सवा बजे" : `सवा ${hourName} बजे`;
  if (minute === 30) return hour === 1 ? "डेढ़ बजे" : hour === 2 ? "ढाई बजे" : `साढ़े ${hourName} बजे`;
  if (minute === 45) return `पौने ${cardinal(String((hour % 12) + 1))} बजे`;
  return `${hourName} बजकर ${cardinal(String(minute))} मिनट`;
}

function readDate(day: string, month: string, year: string): string | undefined {
  const name = months[Number(month) - 1];
  return name === undefined || Number(day) < 1 || Number(day) > 31
    ? undefined
    : `${cardinal(String(Number(day)))} ${name} ${readYear(year)}`;
}

function readNumber(written: string): string {
  const [whole = "", fraction] = written.replaceAll(",", "").split(".");
  if (!written.includes(",") && whole.length >= 10) return digitWords(whole);
  return fraction === undefined
    ? cardinal(whole)
    : `${cardinal(whole)} दशमलव ${digitWords(fraction)}`;
}

const rules: readonly NormalizationRule[] = [
  [/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x966)],
  [/डॉ[.॰]/g, "डॉक्टर"],
  [/प्रो[.॰]/g, "प्रोफ़ेसर"],
  [/रु[.॰]/g, "₹"],
  [
    /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])/g,
    (all, year = "", month = "", day = "") => readDate(day, month, year) ?? all,
  ],
  [
    /(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d/-])/g,
    (all, day = "", _sign = "", month = "", year = "") => readDate(day, month, year) ?? all,
  ],
  [
    new RegExp(
      String.raw`(?<!\d)(\d{1,2}) (${alternationPattern(months)})(?:,? (\d{4})(?!\d))?`,
      "gu",
    ),
    (_, day = "", month = "", year = "") =>
      `${cardinal(day)} ${month}${year === "" ? "" : ` ${readYear(year)}`}`,
  ],
  [/(?<=सन् )(\d{4})(?!\d)/gu, (_, year = "") => readYear(year)],
  [
    /(?<![\d:.])(1[0-2]|0?[1-9]):([0-5]\d)(?![\d:])(?: ?बजे)?/gu,
    (_, hour = "", minute = "") => readTime(Number(hour), Number(minute)),
  ],
  [
    new RegExp(String.raw`₹ ?(${numberPattern})(?: ?(हज़ार|हजार|लाख|करोड़|अरब))?`, "gu"),
    (_, amount = "", size = "") => `${amount} ${size === "" ? "" : `${size} `}रुपये`,
  ],
  [new RegExp(String.raw`\$ ?(${numberPattern})`, "gu"), "$1 डॉलर"],
  [/(?<=\d) ?(?:°C|° C|℃)/g, " डिग्री सेल्सियस"],
  [/(?<=\d) ?°/g, " डिग्री"],
  [/(?<=\d) ?%/g, " प्रतिशत"],
  [
    new RegExp(
      String.raw`(?<=\d) ?(${alternationPattern(units.keys())})(?![\p{L}\p{M}\p{N}/])`,
      "gu",
    ),
    (_, unit = "") => ` ${units.get(unit) ?? unit}`,
  ],
  [/(?<=\d) ?[-–] ?(?=\d{1,15}(?![\d-]))/g, " से "],
  [/(?<![\p{L}\p{N}\p{M}-])-(?=\d)/gu, "माइनस "],
  [new RegExp(numberPattern, "g"), readNumber],
  [/[&+]/g, " और "],
  [/=/g, " बराबर "],
  [/@/g, " ऐट "],
  [/[#_*|~^\\<>{}[\]•\p{S}]/gu, " "],
  [/ {2,}/g, " "],
];

export function normalizeHindi(text: string): string {
  return applyNormalizationRules(normalizeCharacters(text), rules).trim();
}
