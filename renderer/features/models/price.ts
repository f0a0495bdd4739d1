// Parses a price in US dollars as people type it: `0.006`, `0,006`, `$0.03`. Pure.

/** @returns undefined for an empty field */
export function parsePrice(typed: string): number | "wrong" | undefined {
  const text = typed
    .trim()
    .replace(/^\$\s*/, "")
    .replace(",", ".");
  if (text === "") return undefined;
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : "wrong";
}
