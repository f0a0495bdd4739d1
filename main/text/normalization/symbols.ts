// Symbols that have a name. Last of all rules, since the others need some of these symbols.

import { type NormalizationRule, applyNormalizationRules } from "./normalization-rules.ts";

/** Sign → name. */
export type SymbolNames = Readonly<Record<string, string>>;

export function createSymbolReader(names: SymbolNames): (text: string) => string {
  const nameOf = new Map(Object.entries(names));
  const rules: readonly NormalizationRule[] = [
    [/(?<=\d|\s)<(?=\s?\d)/g, ` ${names["<"] ?? ""} `],
    [/(?<=\d|\s)>(?=\s?\d)/g, ` ${names[">"] ?? ""} `],
    [/[%‰&+=×÷±≈≠≤≥√∞@°§$£€¥₹#]/g, (sign) => ` ${nameOf.get(sign) ?? ""} `],
    [/[_*|~^\\<>{}[\]•·©º\p{S}]/gu, " "],
    // No pause between alternatives: "y/o".
    [/\//g, " "],
    // An elided word is written together with the next.
    [/(?<=(?<!\p{L})(?:[dlDL]|[uU]n)') (?=\p{L})/gu, ""],
    [/ {2,}/g, " "],
    [/ (?=[,;:!?]|\.(?!\d))/g, ""],
  ];
  return (text) => applyNormalizationRules(text, rules).trim();
}
