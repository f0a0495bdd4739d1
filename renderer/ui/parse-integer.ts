// A whole number as a person types it.

/** Undefined for an empty field, 'wrong' for what is no whole number from `min` to `max`. */
export function parseInteger(text: string, min: number, max: number): number | undefined | "wrong" {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  return /^\d+$/.test(trimmed) && value >= min && value <= max ? value : "wrong";
}
