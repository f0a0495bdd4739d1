// Parses an amount of money as people type it.

/** In US dollars; undefined for an empty field, 'wrong' if it is not a number from 0 to a million. */
export function parseBudget(text: string): number | undefined | "wrong" {
  const bare = text.trim().replace(/^\$/, "").replace(",", ".");
  if (bare === "") return undefined;
  return /^\d+(\.\d+)?$/.test(bare) && Number(bare) <= 1_000_000 ? Number(bare) : "wrong";
}
