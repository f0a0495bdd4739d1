// Whole numbers as Spanish words, in agreement with the noun that is counted.

import { type Gender, type NumberForm, createGenderFinder } from "../normalization/grammar.ts";
import { type NumberWords, thousandGroups } from "../normalization/numbers.ts";

const small = (
  "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete " +
  "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete " +
  "veintiocho veintinueve"
).split(" ");
const tens = "   treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(" ");
const hundreds =
  " ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos".split(
    " ",
  );
/** Of six digits each. */
const scales = [
  ["", ""],
  ["millón", "millones"],
  ["billón", "billones"],
  ["trillón", "trillones"],
  ["cuatrillón", "cuatrillones"],
] as const;

function belowHundred(value: number, noun: Gender | undefined): string {
  if (value % 10 !== 1 || value === 11) {
    if (value < 30) return small[value] ?? "";
    return `${tens[Math.floor(value / 10)] ?? ""}${value % 10 === 0 ? "" : ` y ${small[value % 10] ?? ""}`}`;
  }
  const one = noun === undefined ? "uno" : noun === "feminine" ? "una" : "un";
  if (value === 1) return one;
  if (value === 21) return one === "un" ? "veintiún" : `veinti${one}`;
  return `${tens[Math.floor(value / 10)] ?? ""} y ${one}`;
}

function belowThousand(value: number, noun: Gender | undefined, isThousands = false): string {
  if (value === 100) return "cien";
  const hundred = hundreds[Math.floor(value / 100)] ?? "";
  const rest = value % 100;
  return [
    noun === "feminine" ? hundred.replace(/os$/, "as") : hundred,
    // "doscientas treinta y un mil personas".
    rest === 0 ? "" : belowHundred(rest, isThousands ? "masculine" : noun),
  ]
    .filter((word) => word !== "")
    .join(" ");
}

function belowMillion(thousands: number, rest: number, noun: Gender | undefined): string {
  const words = thousands > 1 ? [belowThousand(thousands, noun, true)] : [];
  if (thousands > 0) words.push("mil");
  if (rest > 0) words.push(belowThousand(rest, noun));
  return words.join(" ");
}

function cardinal(digits: string, { noun }: NumberForm): string {
  if (Number(digits) === 0) return "cero";
  const groups = thousandGroups(digits.padStart(Math.ceil(digits.length / 6) * 6, "0"));
  const words: string[] = [];
  for (let at = 0; at < groups.length; at += 2) {
    const [thousands = 0, rest = 0] = groups.slice(at, at + 2);
    if (thousands + rest === 0) continue;
    const scale = scales[(groups.length - at) / 2 - 1] ?? scales[0];
    const isLast = at === groups.length - 2;
    words.push(belowMillion(thousands, rest, isLast ? noun : "masculine"));
    if (!isLast) words.push(thousands === 0 && rest === 1 ? scale[0] : scale[1]);
  }
  return words.join(" ");
}

const ordinalUnits =
  " primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo".split(
    " ",
  );
const ordinalTens =
  " décimo vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo septuagésimo octogésimo nonagésimo".split(
    " ",
  );

/** Above 99 people say the cardinal. `isShort`: before a masculine noun, "primer piso". */
export function ordinalWords(value: number, gender: Gender, isShort: boolean): string {
  if (value > 99)
    return value === 100
      ? gender === "feminine"
        ? "centésima"
        : "centésimo"
      : cardinal(String(value), {});
  const unit = value % 10;
  const words =
    value < 13
      ? [ordinalUnits[value] ?? ""]
      : value < 20
        ? [`decimo${ordinalUnits[unit] ?? ""}`.replace("oo", "o")]
        : [ordinalTens[Math.floor(value / 10)] ?? "", ordinalUnits[unit] ?? ""];
  const text = words.join(" ").trim();
  if (gender === "feminine") return text.replace(/o(?= |$)/g, "a");
  return isShort ? text.replace(/(primer|tercer)o$/, "$1") : text;
}

const genderOf = createGenderFinder({
  notNouns:
    "a al ante bajo con contra de del desde durante e el ella ellas ellos en entre era eran es esta está " +
    "están este fue " +
    "fueron ha hacia han hasta hay la las le les lo los más mas me menos mil millones millón ni no nos o " +
    "para pero por que qué " +
    "se según ser si sí sin sobre son su sus también te tras u un una uno unos unas y ya como cuando " +
    "donde pues porque " +
    "tiene tienen puede va van coma punto sobre millares billones medio cuarto",
  feminine:
    "vez veces noche noches mujer mujeres madre madres mano manos parte partes flor flores calle calles " +
    "ley leyes clase " +
    "clases tarde tardes sede sedes muerte muertes llave llaves nave naves torre torres red redes serie " +
    "series voz voces " +
    "luz luces cruz cruces pared paredes imagen imágenes orden órdenes razón razones sal sales base " +
    "bases frase frases " +
    "fuente fuentes gente mente miel nube nubes nariz piel sangre suerte fase fases hectárea",
  masculine:
    "día días mapa mapas problema problemas programa programas sistema sistemas tema temas idioma " +
    "idiomas planeta planetas " +
    "poeta poetas clima climas kilogramo gramo drama dramas poema poemas gorila gorilas dálmata dálmatas " +
    "atleta atletas " +
    "artista artistas turista turistas periodista periodistas policía policías guardia guardias fantasma fantasmas " +
    "sofá sofás papa papas metro centímetro koala koalas panda pandas cometa cometas giga gigas mega " +
    "megas tera teras " +
    "kilómetro síntoma síntomas diploma diplomas telegrama yoga aroma aromas tranvía tranvías",
  feminineEnding: /(?:as?|[cst]ión|[cstx]iones|[dt]ad(?:es)?|tud(?:es)?|umbres?|eces|ices)$/,
});

export const spanishNumbers: NumberWords = {
  cardinal,
  maxDigits: 30,
  digitNames: small.slice(0, 10),
  genderOf,
  countsNoun: (digits, noun) => /^1(?:,|$)/.test(digits) || /s$/i.test(noun),
  labels: new Set(
    (
      "número página capítulo tomo volumen artículo parte acto escena fase nivel tipo canal " +
      "sala puerta línea figura tabla grupo versión el día días"
    ).split(" "),
  ),
  beforeYears: /^(?:en|de|del|desde|hasta|año|para|hacia|entre)$/,
  decimalComma: "coma",
  maxFractionDigits: 2,
  ofMillions: () => "de ",
};
