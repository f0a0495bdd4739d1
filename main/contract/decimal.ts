// Numbers that arrive as text, in forms, queries, flags and variables: decimal as clients write them (`0`, `0.2`, `.5`,
// `1.`, `1e-05`), and nothing else that JavaScript takes for a number: no hexadecimal, octal or binary, no plus sign in
// front, no blanks, no Infinity.

const decimalPattern = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** NaN where the text is no decimal number. */
export const parseDecimal = (text: string): number =>
  decimalPattern.test(text) ? Number(text) : Number.NaN;

/** For `z.preprocess` in front of a number's schema. */
export const parseDecimalField = (value: unknown): unknown =>
  typeof value === "string" ? parseDecimal(value) : value;
