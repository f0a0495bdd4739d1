// Parses an integer as people type it.

/** Undefined for an empty field, 'wrong' if it is not an integer from `min` to `max`. */
export function parseInteger(text: string, min: number, max: number): number | undefined | "wrong" {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  return /^\d+$/.test(trimmed) && value >= min && value <= max ? value : "wrong";
}
