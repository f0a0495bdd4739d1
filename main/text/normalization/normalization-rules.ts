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

/** An alternation of words, the longest first, so that a shorter one does not match its prefix. */
export function alternationPattern(words: Iterable<string>): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    .join("|");
}

/** No digit, letter or point directly before. */
export const boundaryPattern = String.raw`(?<![\p{L}\p{N}.,_])`;

/** Only closing marks follow, so a full stop here also ends the sentence. */
export const textEndPattern = String.raw`\s*["'»”’)\]]*$`;
