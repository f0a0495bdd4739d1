// Parses decimal numbers that arrive as text (forms, queries, flags, variables), as clients write them: `0`, `0.2`,
// `.5`, `1.`, `1e-05`. Rejects what JavaScript's Number() accepts beyond that: hexadecimal, octal, binary, a leading
// plus sign, blanks, Infinity.

const decimalPattern = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** @returns NaN if the text is no decimal number */
export const parseDecimal = (text: string): number =>
  decimalPattern.test(text) ? Number(text) : Number.NaN;

/** For `z.preprocess` before a numeric schema. */
export const parseDecimalField = (value: unknown): unknown =>
  typeof value === "string" ? parseDecimal(value) : value;
