// A sentence as a replacement would change it, in parts to show: what stays, what goes, what comes. Pure.

export type ReplacedPart = { readonly kind: "same" | "gone" | "new"; readonly text: string };

/** The text is found as the app finds it: letter for letter, in any case of letters unless told otherwise. */
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
    parts.push({ kind: "gone", text: matchText });
    if (replaceBy !== "") parts.push({ kind: "new", text: replaceBy });
    end = index + matchText.length;
  }
  if (end < before.length) parts.push({ kind: "same", text: before.slice(end) });
  return parts;
}
