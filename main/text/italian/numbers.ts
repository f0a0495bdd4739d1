// Whole numbers as Italian words. Long ones are separated at thousands and hundreds, where a speaker stresses anew.

import { type Gender, type NumberForm, createGenderFinder } from "../normalization/grammar.ts";
import { type NumberWords, thousandGroups } from "../normalization/numbers.ts";

const small = (
  "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici " +
  "diciassette diciotto diciannove"
).split(" ");
const tens = "  venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split(" ");
const scales = [
  ["", ""],
  ["mille", "mila"],
  ["milione", "milioni"],
  ["miliardo", "miliardi"],
  ["bilione", "bilioni"],
  ["biliardo", "biliardi"],
] as const;

function belowHundred(value: number): string {
  if (value < 20) return small[value] ?? "";
  const ten = tens[Math.floor(value / 10)] ?? "";
  const unit = value % 10;
  if (unit === 0) return ten;
  if (unit === 3) return `${ten}tré`;
  return (unit === 1 || unit === 8 ? ten.slice(0, -1) : ten) + (small[unit] ?? "");
}

function belowThousand(value: number): string {
  const [count, rest] = [Math.floor(value / 100), value % 100];
  const hundred = count === 0 ? "" : `${count === 1 ? "" : (small[count] ?? "")}cento`;
  return `${hundred} ${rest === 0 ? "" : belowHundred(rest)}`.trim();
}

/** Before s and a consonant, z, gn, ps, x: "uno studente". */
const needsUno = /^(?:s[^aeiouàèéìòù]|z|gn|ps|pn|x|y|i[aeou])/i;

function article(noun: Gender, nextWord: string): string {
  if (noun === "feminine") return /^[aeiouàèéìòù]/i.test(nextWord) ? "un'" : "una";
  return needsUno.test(nextWord) ? "uno" : "un";
}

function cardinal(digits: string, { noun, nextWord = "" }: NumberForm): string {
  if (Number(digits) === 0) return "zero";
  if (Number(digits) === 1) return noun === undefined ? "uno" : article(noun, nextWord);
  const groups = thousandGroups(digits);
  const words: string[] = [];
  groups.forEach((value, index) => {
    const level = groups.length - 1 - index;
    const scale = scales[level] ?? scales[0];
    if (value === 0) return;
    if (level === 0) words.push(belowThousand(value));
    else if (level === 1)
      words.push(
        value === 1 ? scale[0] : `${belowThousand(value).replace(/tré$/, "tre")}${scale[1]}`,
      );
    else words.push(value === 1 ? `un ${scale[0]}` : `${belowThousand(value)} ${scale[1]}`);
  });
  return words.join(" ");
}

const irregularOrdinals =
  " primo secondo terzo quarto quinto sesto settimo ottavo nono decimo".split(" ");

export function ordinalWords(value: number, gender: Gender): string {
  const masculine =
    irregularOrdinals[value] ??
    `${cardinal(String(value), {})
      .replace(/tré$/, "tree")
      .replace(/sei$/, "seie")
      .replace(/mila$/, "mill")
      .replace(/[aeio]$/, "")}esimo`;
  return gender === "feminine" ? masculine.replace(/o$/, "a") : masculine;
}

const genderOf = createGenderFinder({
  notNouns:
    "a ad ai agli al alla alle allo anche c che chi ci col come con contro da dai dal dalla dalle dallo " +
    "degli dei del della delle " +
    "dello di dove durante e è ed era erano fa fino fra fu furono gli ha hanno i il in io la le lei li " +
    "lo loro lui ma me meno mi " +
    "mila mille milioni milione miliardi miliardo ne negli nei nel nella nelle nello no noi non o ogni " +
    "oppure per perché più poi " +
    "può quando quanto quello questo qui se sei si sia sono sotto su sugli sui sul sulla sulle sullo tra " +
    "tu un una uno va " +
    "verso vi virgola voi gradi",
  feminine:
    "notte notti parte parti volte mano mani madre madri moglie mogli voce voci luce luci croce croci " +
    "legge leggi classe " +
    "classi chiave chiavi nave navi torre torri rete reti serie città università libertà età metà sede " +
    "sedi morte morti carne " +
    "gente mente fronte fonte fonti base basi frase frasi estate estati immagine immagini origine " +
    "origini nazione moto foto",
  masculine:
    "problema problemi programma programmi sistema sistemi tema temi pianeta pianeti poeta poeti clima " +
    "climi dramma poema giga " +
    "artista turista giornalista fantasma papa cinema panda koala collega diploma",
  feminineEnding: /(?:a|[ie]zione|zioni|sione|sioni|tà|tù|udine|udini|trice|trici|ie)$/,
});

export const italianNumbers: NumberWords = {
  cardinal,
  maxDigits: 18,
  digitNames: small.slice(0, 10),
  genderOf,
  labels: new Set(
    (
      "numero pagina capitolo tomo volume articolo parte atto scena fase livello tipo canale " +
      "sala porta riga figura tabella gruppo versione comma ore il giorno"
    ).split(" "),
  ),
  beforeYears: /^(?:nel|dal|del|al|anno|in|il|fino)$/,
  decimalComma: "virgola",
  maxFractionDigits: 2,
  ofMillions: () => "di ",
};
