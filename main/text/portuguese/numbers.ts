// Whole numbers as Brazilian Portuguese words, in agreement with the noun that is counted.

import { type Gender, type NumberForm, createGenderFinder } from "../normalization/grammar.ts";
import { type NumberWords, thousandGroups } from "../normalization/numbers.ts";

const small = (
  "zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis " +
  "dezessete dezoito " +
  "dezenove"
).split(" ");
const tens = "  vinte trinta quarenta cinquenta sessenta setenta oitenta noventa".split(" ");
const hundreds =
  " cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos".split(
    " ",
  );
const scales = [
  ["", ""],
  ["mil", "mil"],
  ["milhão", "milhões"],
  ["bilhão", "bilhões"],
  ["trilhão", "trilhões"],
  ["quatrilhão", "quatrilhões"],
  ["quintilhão", "quintilhões"],
] as const;

function belowThousand(value: number, noun: Gender | undefined): string {
  if (value === 100) return "cem";
  const isFeminine = noun === "feminine";
  const hundred = hundreds[Math.floor(value / 100)] ?? "";
  const rest = value % 100;
  const unit = rest < 20 ? rest : rest % 10;
  const unitWord =
    isFeminine && unit === 1 ? "uma" : isFeminine && unit === 2 ? "duas" : (small[unit] ?? "");
  return [
    isFeminine ? hundred.replace(/os$/, "as") : hundred,
    rest < 20 ? "" : (tens[Math.floor(rest / 10)] ?? ""),
    unit === 0 ? "" : unitWord,
  ]
    .filter((word) => word !== "")
    .join(" e ");
}

function cardinal(digits: string, { noun }: NumberForm): string {
  if (Number(digits) === 0) return "zero";
  const groups = thousandGroups(digits);
  let text = "";
  groups.forEach((value, index) => {
    const level = groups.length - 1 - index;
    if (value === 0) return;
    const scale = scales[level]?.[value === 1 ? 0 : 1] ?? "";
    const count =
      level === 1 && value === 1 ? "" : belowThousand(value, level < 2 ? noun : undefined);
    // "mil e cem", "mil e vinte", but "mil duzentos e trinta".
    const isLast = groups.slice(index + 1).every((next) => next === 0);
    const link = text === "" ? "" : isLast && (value < 100 || value % 100 === 0) ? " e " : " ";
    text += link + `${count} ${scale}`.trim();
  });
  return text;
}

const ordinalUnits = " primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono".split(" ");
const ordinalTens =
  " décimo vigésimo trigésimo quadragésimo quinquagésimo sexagésimo septuagésimo octogésimo nonagésimo".split(
    " ",
  );

/** Above 100 people say the cardinal. */
export function ordinalWords(value: number, gender: Gender): string {
  if (value > 100) return cardinal(String(value), {});
  const words =
    value === 100
      ? "centésimo"
      : `${ordinalTens[Math.floor(value / 10)] ?? ""} ${ordinalUnits[value % 10] ?? ""}`.trim();
  return gender === "feminine" ? words.replace(/o(?= |$)/g, "a") : words;
}

const genderOf = createGenderFinder({
  notNouns:
    "a à ao aos as às até cada com como contra da das de dela dele desde do dos durante e é ela elas ele " +
    "eles em entre era eram " +
    "essa esse esta está este estão eu foi foram há isso já lhe mais mas me menos mil milhão milhões " +
    "bilhão bilhões muito na nas " +
    "nem no nos não nós o onde os ou para pela pelas pelo pelos por porque quando que quem se sem ser " +
    "seu sob sobre sua são " +
    "também te tem têm um uma vai você vírgula graus ponto",
  feminine:
    "vez vezes noite noites mulher mulheres mãe mães mão mãos parte partes flor flores tarde tardes sede " +
    "sedes morte mortes " +
    "chave chaves nave naves torre torres rede redes série séries voz vozes luz luzes cruz cruzes parede " +
    "paredes imagem imagens " +
    "ordem ordens lei leis classe classes gente base bases frase frases fonte fontes fase fases cor " +
    "cores maçã maçãs irmã irmãs " +
    "tribo tribos manhã manhãs",
  masculine:
    "dia dias mapa mapas problema problemas programa programas sistema sistemas tema temas idioma " +
    "idiomas planeta planetas poeta " +
    "poetas clima climas quilograma quilogramas grama gramas drama dramas poema poemas dálmata dálmatas " +
    "atleta atletas artista " +
    "artistas turista turistas jornalista jornalistas fantasma fantasmas sofá sofás papa papas koala " +
    "panda cometa cometas giga " +
    "gigas mega megas tera teras sintoma sintomas diploma diplomas guarda",
  feminineEnding: /(?:as?|ção|ções|são|sões|dades?|agens?|tudes?)$/,
});

export const portugueseNumbers: NumberWords = {
  cardinal,
  maxDigits: 21,
  digitNames: small.slice(0, 10),
  genderOf,
  countsNoun: (digits, noun) => /^1(?:,|$)/.test(digits) || /s$/i.test(noun),
  labels: new Set(
    (
      "número página capítulo tomo volume artigo parte ato cena fase nível tipo canal sala " +
      "porta linha figura tabela grupo versão dia o"
    ).split(" "),
  ),
  beforeYears: /^(?:em|de|do|desde|até|ano|para|entre)$/,
  decimalComma: "vírgula",
  maxFractionDigits: 2,
  ofMillions: () => "de ",
};
