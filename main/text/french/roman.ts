// Roman numerals in French: centuries, rulers, chapters.

import type { NormalizationRule } from "../normalization/normalization-rules.ts";
import { romanPattern, romanValue } from "../normalization/roman.ts";
import { frenchNumbers, ordinalWords } from "./numbers.ts";

const cardinal = (numeral: string): string =>
  frenchNumbers.cardinal(String(romanValue(numeral)), {});
const numeral = romanPattern.slice(0, romanPattern.indexOf("(?!"));
const rulers =
  "Louis|Charles|Henri|François|Philippe|Napoléon|Jean|Jean-Paul|Paul|Pie|Léon|Benoît|Grégoire|Clément|" +
  "Innocent|Guillaume|" +
  "Georges|Jacques|Édouard|Richard|Élisabeth|Elizabeth|Marie|Catherine|Frédéric|Nicolas|Alexandre|" +
  "Pierre|Léopold|Albert|" +
  "Baudouin|Robert|Hugues|Clovis|Childéric|Ramsès|Ptolémée|Darius|Otton|Ferdinand|Alphonse|Isabelle|" +
  "Christian|Constantin";
const divisions =
  "chapitres?|tomes?|volumes?|titres?|livres?|parties?|actes?|scènes?|articles?|sections?|phases?|" +
  "types?|annexes?|chants?|guerre";

export const romanRules: readonly NormalizationRule[] = [
  // "XXIe siècle", "IIe République".
  [
    new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?=[IVX]|[LC][IVXLC])(${numeral})(e|ème|er|re|ère)(?!\p{L})`,
      "gu",
    ),
    (all, value = "", suffix = "") =>
      romanValue(value) > 0
        ? ordinalWords(romanValue(value), /^(?:re|ère)$/.test(suffix) ? "feminine" : "masculine")
        : all,
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${divisions}) )(${romanPattern})`, "giu"),
    (all) => (/^[IVXLCM]+$/.test(all) ? cardinal(all) : all),
  ],
  [
    new RegExp(String.raw`(?<=(?<!\p{L})(?:${rulers}) )(${romanPattern})`, "gu"),
    (all) => (all === "I" ? "premier" : cardinal(all)),
  ],
  [new RegExp(String.raw`(?<=\p{Ll} )(?=[IVX]{2})(${romanPattern})`, "gu"), cardinal],
];
