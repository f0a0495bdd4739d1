// Symbols that have a name. Last of all rules, since the others need some of these symbols.

import {
  type NormalizationRule,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";
import { spellLetters } from "./patterns.ts";

const symbolNames: readonly (readonly [sign: string, name: string])[] = [
  ["%", "percent"],
  ["‰", "per mille"],
  ["&", "and"],
  ["+", "plus"],
  ["=", "equals"],
  ["×", "times"],
  ["÷", "divided by"],
  ["±", "plus or minus"],
  ["≈", "approximately"],
  ["≠", "is not equal to"],
  ["≤", "less than or equal to"],
  ["≥", "greater than or equal to"],
  ["√", "square root of"],
  ["∞", "infinity"],
  ["@", "at"],
  ["°", "degrees"],
  ["§", "section"],
  ["µ", "micro"],
  ["$", "dollars"],
  ["£", "pounds"],
  ["€", "euros"],
  ["¥", "yen"],
  ["¢", "cents"],
  ["π", "pi"],
  ["α", "alpha"],
  ["β", "beta"],
  ["γ", "gamma"],
  ["δ", "delta"],
  ["Δ", "delta"],
  ["ε", "epsilon"],
  ["θ", "theta"],
  ["λ", "lambda"],
  ["μ", "mu"],
  ["σ", "sigma"],
  ["Σ", "sigma"],
  ["τ", "tau"],
  ["φ", "phi"],
  ["χ", "chi"],
  ["ψ", "psi"],
  ["ω", "omega"],
  ["Ω", "omega"],
];
const nameBySymbol = new Map(symbolNames);

const rules: readonly NormalizationRule[] = [
  // AT&T, R&D: letters, although "at" is a word.
  [
    /(?<![\p{L}\p{N}])(\p{Lu}{2,3})&(?=\p{Lu}{1,3}(?![\p{L}\p{N}]))/gu,
    (_, left = "") => `${spellLetters(left)} and `,
  ],
  [/(?<![\p{L}\p{N}])(C|F|J|A|G)#(?![\p{L}\p{N}])/gu, "$1 sharp"],
  [/(?<=\bC)\+\+/g, " plus plus"],
  [/(?<=\d)\s?<\s?(?=\d)|(?<=\s)<(?=\s?\d)/g, " less than "],
  [/(?<=\d)\s?>\s?(?=\d)|(?<=\s)>(?=\s?\d)/g, " greater than "],
  [/(?<=\d)\s?\*\s?(?=\d)/g, " times "],
  // A Greek letter alone is read by its name; within a Greek word it is a letter.
  [
    /(?<!\p{Script=Greek})[\p{Script=Greek}µ](?!\p{Script=Greek})/gu,
    (letter) => ` ${nameBySymbol.get(letter) ?? letter} `,
  ],
  [/[%‰&+=×÷±≈≠≤≥√∞@°§$£€¥¢]/g, (sign) => ` ${nameBySymbol.get(sign) ?? ""} `],
  [/©/g, " copyright "],
  [/[#_*|~^\\<>{}[\]•·\p{S}]/gu, " "],
  // No pause between alternatives: "and/or".
  [/\//g, " "],
  [/ {2,}/g, " "],
  [/ (?=[,;:!?]|\.(?!\d))/g, ""],
];

export function expandSymbols(text: string): string {
  return applyNormalizationRules(text, rules);
}
