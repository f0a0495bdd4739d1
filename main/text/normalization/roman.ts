// Roman numerals. What they mean is decided by the words around them, by rules of each language.

/** I to MMM, not within a word. */
export const romanPattern =
  String.raw`(?=[IVXLCM])(?:M{0,3}(?:CM|CD|D?C{0,3})(?:X[LC]|L?X{0,3})(?:I[VX]|V?I{0,3}))` +
  String.raw`(?![\p{L}\p{N}]|[-.][\p{L}\p{N}]|')`;

const values: Readonly<Record<string, number>> = {
  I: 1,
  V: 5,
  X: 10,
  L: 50,
  C: 100,
  D: 500,
  M: 1000,
};

export function romanValue(written: string): number {
  const digits = [...written].map((letter) => values[letter] ?? 0);
  return digits.reduce(
    (sum, value, index) => (value < (digits[index + 1] ?? 0) ? sum - value : sum + value),
    0,
  );
}
