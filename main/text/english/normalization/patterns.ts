// Patterns of written English that several normalization rules share.

/** A written number without sign: `12`, `1,500`, `3.14`. */
export const numberPattern = String.raw`\d{1,15}(?:,\d{3}){0,8}(?:\.\d{1,15})?`;

/** One letter after the other: `EST` → `E.S.T`. */
export function spellLetters(word: string): string {
  return [...word.toUpperCase()].join(".");
}

export function isSingular(written: string): boolean {
  return /^-?1$/.test(written);
}
