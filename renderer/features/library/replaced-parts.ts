// Preview of a replacement in a sentence, as unchanged, removed and added parts. Pure.

export type ReplacedPart = { readonly kind: "same" | "removed" | "added"; readonly text: string };

/** Matches as the app does: literally, and ignoring case unless `isCaseSensitive`. */
export function replacedParts(
  before: string,
  find: string,
  replaceBy: string,
  isCaseSensitive: boolean,
): ReplacedPart[] {
  const pattern = new RegExp(
    find.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
    isCaseSensitive ? "g" : "gi",
  );
  const parts: ReplacedPart[] = [];
  let end = 0;
  for (const { 0: matchText, index } of before.matchAll(pattern)) {
    if (index > end) parts.push({ kind: "same", text: before.slice(end, index) });
    parts.push({ kind: "removed", text: matchText });
    if (replaceBy !== "") parts.push({ kind: "added", text: replaceBy });
    end = index + matchText.length;
  }
  if (end < before.length) parts.push({ kind: "same", text: before.slice(end) });
  return parts;
}
