// A normalization rule is a pattern and its replacement. Patterns limit every repetition and look behind for a
// boundary, so that a long run of one character takes linear time.

export type NormalizationRule = readonly [
  pattern: RegExp,
  spoken: string | ((...groups: string[]) => string),
];

export function applyNormalizationRules(text: string, rules: readonly NormalizationRule[]): string {
  let out = text;
  for (const [pattern, replacement] of rules) {
    out =
      typeof replacement === "string"
        ? out.replace(pattern, replacement)
        : out.replace(pattern, (...match) =>
            replacement(...match.map((group) => (typeof group === "string" ? group : ""))),
          );
  }
  return out;
}

/** A written number without sign: `12`, `1,500`, `3.14`. */
export const numberPattern = String.raw`\d{1,15}(?:,\d{3}){0,8}(?:\.\d{1,15})?`;

/** No digit, letter or point directly before. */
export const boundaryPattern = String.raw`(?<![\p{L}\p{N}.,_])`;

/** An alternation of words, the longest first, so that a shorter one does not match its prefix. */
export function alternationPattern(words: Iterable<string>): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    .join("|");
}

/** One letter after the other: `EST` → `E.S.T`. */
export function spellLetters(word: string): string {
  return [...word.toUpperCase()].join(".");
}

export function isSingular(written: string): boolean {
  return /^-?1$/.test(written);
}
