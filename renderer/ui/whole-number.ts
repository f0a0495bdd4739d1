// A whole number as a person types it.

/** Undefined for an empty field, 'wrong' for what is no whole number from `min` to `max`. */
export function parseWhole(text: string, min: number, max: number): number | undefined | "wrong" {
  const bare = text.trim();
  if (bare === "") return undefined;
  const value = Number(bare);
  return /^\d+$/.test(bare) && value >= min && value <= max ? value : "wrong";
}
