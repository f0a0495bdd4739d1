// Roman numerals in Italian, which are ordinals almost everywhere: centuries, rulers, chapters, wars.

import type { NormalizationRule } from "../normalization/normalization-rules.ts";
import { romanPattern, romanValue } from "../normalization/roman.ts";
import { italianNumbers, ordinalWords } from "./numbers.ts";

const rulers =
  "Luigi|Carlo|Enrico|Francesco|Filippo|Napoleone|Giovanni|Giovanni Paolo|Paolo|Pio|Leone|Benedetto|" +
  "Gregorio|Clemente|" +
  "Innocenzo|Urbano|Sisto|Guglielmo|Giorgio|Giacomo|Edoardo|Riccardo|Federico|Nicola|Alessandro|Pietro|" +
  "Leopoldo|Alberto|" +
  "Vittorio Emanuele|Emanuele Filiberto|Amedeo|Umberto|Ferdinando|Alfonso|Ramses|Ramsete|Tolomeo|Dario|" +
  "Ottone|Bonifacio|" +
  "Celestino|Giulio|Adriano|Costantino|Massimiliano|Juan Carlos|Felipe|Harald";
const queens = "Elisabetta|Maria|Caterina|Margherita|Isabella|Cristina|Cleopatra|Anna|Giovanna";
const divisions = "capitol[oi]|tom[oi]|volum[ei]|titol[oi]|libr[oi]|att[oi]|cant[oi]|articol[oi]";
const feminineDivisions = "part[ei]|scen[ae]|sezion[ei]|fas[ei]";

const readAs =
  (gender: "masculine" | "feminine") =>
  (numeral: string): string =>
    /^[IVXLCM]+$/.test(numeral) ? ordinalWords(romanValue(numeral), gender) : numeral;

export const romanRules: readonly NormalizationRule[] = [
  [
    new RegExp(
      String.raw`(?<![\p{L}\p{N}])(${romanPattern})(?= secol[oi]|(?: e (?:il )?| ?[-–] ?)[IVXL]{1,6} secol[oi])`,
      "gu",
    ),
    readAs("masculine"),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})[Ss]ecol[oi] )(${romanPattern})`, "gu"),
    readAs("masculine"),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${rulers}|${divisions}) )(${romanPattern})`, "giu"),
    readAs("masculine"),
  ],
  [
    new RegExp(
      String.raw`(?<=(?<!\p{L})(?:${queens}|${feminineDivisions}) )(${romanPattern})`,
      "giu",
    ),
    readAs("feminine"),
  ],
  // "la II guerra mondiale", "il XV congresso".
  [
    new RegExp(
      String.raw`(?<=(?<!\p{L})(?:la|una|della|alla|nella|dalla) )(${romanPattern})(?= \p{L}{3})`,
      "giu",
    ),
    readAs("feminine"),
  ],
  [
    new RegExp(
      String.raw`(?<=(?<!\p{L})(?:il|un|del|al|nel|dal) )(${romanPattern})(?= \p{L}{3})`,
      "giu",
    ),
    readAs("masculine"),
  ],
  [
    new RegExp(String.raw`(?<=\p{Ll} )(?=[IVX]{2})(${romanPattern})`, "gu"),
    (numeral) => italianNumbers.cardinal(String(romanValue(numeral)), {}),
  ],
];
