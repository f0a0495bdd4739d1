// A price as people type it, in US dollars: `0.006`, `0,006`, `$0.03`. Pure.

/** undefined: none was given. */
export function parsePrice(typed: string): number | "wrong" | undefined {
  const text = typed
    .trim()
    .replace(/^\$\s*/, "")
    .replace(",", ".");
  if (text === "") return undefined;
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : "wrong";
}
