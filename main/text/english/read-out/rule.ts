// A reading rule is a pattern and what is said in its place. Patterns bound every repetition and look back for a
// boundary, so that a long run of one character costs time in proportion to its length.

export type Rule = readonly [pattern: RegExp, spoken: string | ((...groups: string[]) => string)];

export function applyRules(text: string, rules: readonly Rule[]): string {
  let out = text;
  for (const [pattern, spoken] of rules) {
    out =
      typeof spoken === "string"
        ? out.replace(pattern, spoken)
        : out.replace(pattern, (...match) =>
            spoken(...match.map((group) => (typeof group === "string" ? group : ""))),
          );
  }
  return out;
}

/** A written number without sign: `12`, `1,500`, `3.14`. */
export const number = String.raw`\d{1,15}(?:,\d{3}){0,8}(?:\.\d{1,15})?`;

/** No digit, letter or point stands directly before. */
export const boundary = String.raw`(?<![\p{L}\p{N}.,_])`;

/** An alternation of words, longest first so that none hides another. */
export function anyOf(words: Iterable<string>): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    .join("|");
}

/** One letter after the other: `EST` → `E.S.T`. */
export function letters(word: string): string {
  return [...word.toUpperCase()].join(".");
}

export function isOne(written: string): boolean {
  return /^-?1$/.test(written);
}
