// Roman numerals in Portuguese: centuries, rulers, chapters, wars.

import type { Gender } from "../normalization/grammar.ts";
import type { NormalizationRule } from "../normalization/normalization-rules.ts";
import { romanPattern, romanValue } from "../normalization/roman.ts";
import { ordinalWords, portugueseNumbers } from "./numbers.ts";

const rulers =
  "Pedro|João|João Paulo|Paulo|Luís|Luiz|Carlos|Henrique|Afonso|Sancho|Dinis|Filipe|Felipe|Fernando|" +
  "Francisco|Napoleão|" +
  "Manuel|Sebastião|José|Miguel|Pio|Leão|Bento|Gregório|Clemente|Inocêncio|Urbano|Sisto|Guilherme|" +
  "Jorge|Jaime|Eduardo|" +
  "Ricardo|Frederico|Nicolau|Alexandre|Leopoldo|Alberto|Ramsés|Ptolomeu|Dario|Otão|Constantino|Duarte";
const queens = "Maria|Isabel|Elizabeth|Catarina|Cristina|Margarida|Cleópatra|Ana|Joana";
const divisions =
  "capítulos?|tomos?|volumes?|títulos?|livros?|partes?|atos?|cenas?|artigos?|seção|seções|fases?|" +
  "tipos?|anexos?|cantos?|incisos?|nível|grau";

const cardinal = (numeral: string): string =>
  portugueseNumbers.cardinal(String(romanValue(numeral)), {});
/** Above ten, rulers and centuries take the cardinal: "Luís quatorze", "século vinte e um". */
const readRuler = (numeral: string, gender: Gender): string =>
  romanValue(numeral) > 10 ? cardinal(numeral) : ordinalWords(romanValue(numeral), gender);

export const romanRules: readonly NormalizationRule[] = [
  [
    new RegExp(
      String.raw`(?<=(?<!\p{L})[Ss]éculos? )(${romanPattern})( ?[-–e] )?(?:(?<=[-–e] )(${romanPattern}))?`,
      "gu",
    ),
    (_, first = "", and = "", second = "") =>
      readRuler(first, "masculine") + and + (second === "" ? "" : readRuler(second, "masculine")),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${divisions}) )(${romanPattern})`, "giu"),
    (all) => (/^[IVXLCM]+$/.test(all) ? cardinal(all) : all),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${rulers}) )(${romanPattern})`, "gu"),
    (all) => readRuler(all, "masculine"),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${queens}) )(${romanPattern})`, "gu"),
    (all) => readRuler(all, "feminine"),
  ],
  // "a II Guerra Mundial", "o XV Congresso".
  [
    new RegExp(
      String.raw`(?<=(?<!\p{L})([Aa]|[Oo]|[Dd]a|[Dd]o|[Nn]a|[Nn]o|uma?) )(${romanPattern})(?= \p{L}{3})`,
      "gu",
    ),
    (_, article = "", numeral = "") =>
      /^[CLM]$/.test(numeral)
        ? numeral
        : ordinalWords(romanValue(numeral), /a$/i.test(article) ? "feminine" : "masculine"),
  ],
  [new RegExp(String.raw`(?<=\p{Ll} )(?=[IVX]{2})(${romanPattern})`, "gu"), cardinal],
];
