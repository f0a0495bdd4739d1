// Whole numbers as French words, in agreement with the noun that is counted.

import { type Gender, type NumberForm, createGenderFinder } from "../normalization/grammar.ts";
import { type NumberWords, thousandGroups } from "../normalization/numbers.ts";

const small = (
  "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit " +
  "dix-neuf"
).split(" ");
const tens = "  vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split(
  " ",
);
const scales = [
  ["", ""],
  ["mille", "mille"],
  ["million", "millions"],
  ["milliard", "milliards"],
  ["billion", "billions"],
  ["billiard", "billiards"],
  ["trillion", "trillions"],
] as const;

/** `isLast`: nothing follows but a noun, or "millions": "quatre-vingts", "deux cents". */
function belowHundred(value: number, one: string, isLast: boolean): string {
  if (value === 1) return one;
  if (value < 20) return small[value] ?? "";
  const ten = tens[Math.floor(value / 10)] ?? "";
  // 70 to 79 and 90 to 99 count on from ten.
  const rest = value < 60 ? value % 10 : value % 20;
  if (rest === 0) return value === 80 && isLast ? "quatre-vingts" : ten;
  if (value === 71) return "soixante et onze";
  if (rest === 1) return value === 81 ? `${ten}-${one}` : `${ten} et ${one}`;
  return `${ten}-${small[rest] ?? ""}`;
}

function belowThousand(value: number, one: string, isLast: boolean): string {
  const [count, rest] = [Math.floor(value / 100), value % 100];
  const words: string[] = [];
  if (count > 1) words.push(small[count] ?? "");
  if (count > 0) words.push(count > 1 && rest === 0 && isLast ? "cents" : "cent");
  if (rest > 0) words.push(belowHundred(rest, one, isLast));
  return words.join(" ");
}

function cardinal(digits: string, { noun }: NumberForm): string {
  if (Number(digits) === 0) return "zéro";
  const groups = thousandGroups(digits);
  const words: string[] = [];
  groups.forEach((value, index) => {
    const level = groups.length - 1 - index;
    if (value === 0) return;
    const one = level === 0 && noun === "feminine" ? "une" : "un";
    if (level !== 1 || value > 1) words.push(belowThousand(value, one, level !== 1));
    if (level > 0) words.push(scales[level]?.[value > 1 ? 1 : 0] ?? "");
  });
  return words.join(" ");
}

/** Before "années" and after "page": "quatre-vingt", without the s of a count. */
export const serialNumber = (digits: string): string =>
  cardinal(digits, {}).replace(/(vingt|cent)s$/, "$1");

export function ordinalWords(value: number, gender: Gender): string {
  if (value === 1) return gender === "feminine" ? "première" : "premier";
  const words = serialNumber(String(value));
  if (words.endsWith("cinq")) return `${words}uième`;
  if (words.endsWith("neuf")) return `${words.slice(0, -1)}vième`;
  return `${words.replace(/e$/, "")}ième`;
}

const genderOf = createGenderFinder({
  notNouns:
    "à au aux avec car ce ces cette comme contre d dans de depuis des donc du elle elles en entre est et " +
    "étaient était eut fut " +
    "il ils je jusqu la le les leur leurs lors lui mais me moins mille million millions milliard " +
    "milliards ne ni nous on ont or ou où " +
    "par pas pendant plus pour puis qu quand que qui sa sans se selon ses si son sont sous sur te tu un " +
    "une vers virgule vous y a " +
    "ont peut doit sera voir point demi tiers quart quarts",
  feminine:
    "heure heures page pages fois minute minutes seconde secondes semaine semaines nuit nuits personne " +
    "personnes femme femmes " +
    "fille filles voix tonne tonnes couronne couronnes calorie calories once onces voiture voitures " +
    "maison maisons chaise " +
    "chaises place places ville villes école écoles île îles pièce pièces chambre chambres table tables " +
    "tasse tasses " +
    "porte portes rue rues œuvre œuvres mère mères sœur sœurs main mains part parts dent dents fin fins " +
    "lettre lettres ligne " +
    "lignes étoile étoiles pomme pommes poire poires orange oranges banane bananes cuillère cuillères " +
    "cuillerée goutte gouttes " +
    "bouteille bouteilles boîte boîtes carte cartes photo photos image images chanson chansons étape " +
    "étapes entreprise entreprises " +
    "équipe équipes banque banques usine usines langue langues phrase phrases syllabe syllabes vie vies " +
    "mort morts mer mers " +
    "fleur fleurs couleur couleurs erreur erreurs valeur valeurs victoire victoires défaite défaites " +
    "fenêtre fenêtres marche marches " +
    "vache vaches poule poules chèvre chèvres plage plages église églises seule feuille feuilles famille " +
    "familles dizaine dizaines " +
    "douzaine douzaines centaine centaines vingtaine quinzaine part action mesure nouvelle nouvelles " +
    "grande grandes petite " +
    "petites belle belles demie",
  masculine:
    "million millions lycée lycées musée musées comité comités côté côtés été étés silence silences " +
    "arbre arbres incendie " +
    "incendies génie génies stade stades grade grades murmure murmures parapluie trophée trophées traité " +
    "traités degré degrés " +
    "million kilomètre député députés employé employés blessé blessés invité invités modèle modèles",
  feminineEnding:
    /(?:[stx]ions?|[^éc]tés?|ées?|ettes?|elles?|esses?|[ae]nces?|ies?|ures?|udes?|ades?|ises?|euses?|trices?|aines?)$/,
});

export const frenchNumbers: NumberWords = {
  cardinal,
  maxDigits: 21,
  digitNames: small.slice(0, 10),
  genderOf,
  countsNoun: (digits, noun) => /^1(?:,|$)/.test(digits) || /[sx]$/i.test(noun),
  labels: new Set(
    (
      "numéro page pages chapitre tome volume article partie acte scène phase niveau type " +
      "chaîne salle porte ligne figure tableau groupe version le année années"
    ).split(" "),
  ),
  beforeYears: /^(?:en|de|du|depuis|l'an|an|année|avant|après|vers|entre|et)$/,
  decimalComma: "virgule",
  maxFractionDigits: 3,
  ofMillions: (noun) => (/^[aeiouyéèêàâîôœh]/i.test(noun) ? "d'" : "de "),
};
