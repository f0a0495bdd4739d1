// Roman numerals in Spanish: centuries, rulers, chapters, congresses.

import type { Gender } from "../normalization/grammar.ts";
import type { NormalizationRule } from "../normalization/normalization-rules.ts";
import { romanPattern, romanValue } from "../normalization/roman.ts";
import { ordinalWords, spanishNumbers } from "./numbers.ts";

const standalone = (value: number): string => spanishNumbers.cardinal(String(value), {});

const rulers =
  "Felipe|Alfonso|Carlos|Fernando|Enrique|Luis|Pedro|Juan|Pablo|Juan Pablo|Sancho|Jaime|Ramiro|Ricardo|" +
  "Eduardo|Jorge|" +
  "Guillermo|Jacobo|Francisco|Napoleón|Nicolás|Alejandro|Pío|León|Benedicto|Gregorio|Clemente|" +
  "Inocencio|Urbano|Sixto|" +
  "Otón|Leopoldo|Maximiliano|Federico|Constantino|Darío|Ramsés|Ptolomeo|Tolomeo|Amadeo|Alberto|" +
  "Balduino|Haakon|Harald";
const queens =
  "Isabel|María|Catalina|Ana|Juana|Cristina|Margarita|Cleopatra|Elizabeth|Beatriz|Urraca";
const divisions =
  "capítulos?|tomos?|volumen|volúmenes|títulos?|libros?|partes?|actos?|escenas?|artículos?|secciones|" +
  "sección|fases?|tipos?|" +
  "apéndices?|anexos?|cantos?|temas?|nivel|grado";

/** Above ten, rulers and centuries take the cardinal: "Alfonso trece", "siglo veintiuno". */
const readRuler = (numeral: string, gender: Gender): string =>
  romanValue(numeral) > 10
    ? standalone(romanValue(numeral))
    : ordinalWords(romanValue(numeral), gender, false);

export const romanRules: readonly NormalizationRule[] = [
  [
    new RegExp(
      String.raw`(?<=(?<!\p{L})[Ss]iglos? )(${romanPattern})( ?[-–y] )?(?:(?<=[-–y] )(${romanPattern}))?`,
      "gu",
    ),
    (_, first = "", and = "", second = "") =>
      readRuler(first, "masculine") + and + (second === "" ? "" : readRuler(second, "masculine")),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${divisions}) )(${romanPattern})`, "giu"),
    (all) => (/^[IVXLCM]+$/.test(all) ? standalone(romanValue(all)) : all),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${rulers}) )(${romanPattern})`, "gu"),
    (all) => readRuler(all, "masculine"),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${queens}) )(${romanPattern})`, "gu"),
    (all) => readRuler(all, "feminine"),
  ],
  // "la II Guerra Mundial", "el XV Congreso".
  [
    new RegExp(
      String.raw`(?<=(?<!\p{L})([Ll]a|[Ee]l|[Uu]na?|del|al) )(${romanPattern})(?= (\p{L}{3,30}))`,
      "gu",
    ),
    (_, article = "", numeral = "") =>
      numeral.length === 1 && /[CLM]/.test(numeral)
        ? numeral
        : romanValue(numeral) > 20
          ? standalone(romanValue(numeral))
          : ordinalWords(romanValue(numeral), /a$/i.test(article) ? "feminine" : "masculine", true),
  ],
  [
    new RegExp(String.raw`(?<=\p{Ll} )(?=[IVX]{2})(${romanPattern})`, "gu"),
    (all) => standalone(romanValue(all)),
  ],
];
