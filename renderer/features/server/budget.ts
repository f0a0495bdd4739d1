// A sum of money as a person types it.

/** US dollars; undefined for an empty field, 'wrong' for what is no sum between 0 and a million. */
export function parseBudget(text: string): number | undefined | "wrong" {
  const bare = text.trim().replace(/^\$/, "").replace(",", ".");
  if (bare === "") return undefined;
  return /^\d+(\.\d+)?$/.test(bare) && Number(bare) <= 1_000_000 ? Number(bare) : "wrong";
}
