// Word-by-word difference of two transcriptions of the same range.

import { letterWithoutSpaces, separatorBefore } from "../../../../main/contract/languages.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { diffWords } from "../../../ui/diff-words.ts";

export type DiffPart = { readonly kind: "same" | "gone" | "new"; readonly text: string };

/**
 * Words with the space after them; single characters in scripts without spaces. Decides by script, because the two
 * transcriptions may report different languages.
 */
function tokenize(text: string): string[] {
  const words = text.trim().match(/\S+\s*/g) ?? [];
  return words.flatMap((word) => (letterWithoutSpaces.test(word) ? Array.from(word) : [word]));
}

/**
 * Parts in order: `same` and `gone` form the old text, `same` and `new` the new one, except for spaces at line ends.
 */
export function diffTexts(oldText: string, newText: string): readonly DiffPart[] {
  const [old, current] = [tokenize(oldText), tokenize(newText)];
  const changes = diffWords(
    old.map((token) => token.trim()),
    current.map((token) => token.trim()),
  );
  let [i, j] = [0, 0];
  return changes.map(({ added, removed, count }) => {
    if (removed) return { kind: "gone", text: old.slice(i, (i += count)).join("") };
    if (!added) i += count;
    return { kind: added ? "new" : "same", text: current.slice(j, (j += count)).join("") };
  });
}

const joinText = (segments: readonly DocumentSegment[]): string =>
  segments.map((segment) => segment.text.trim()).join(separatorBefore(segments[0]?.language ?? ""));

export const diffTranscriptions = (
  old: readonly DocumentSegment[],
  current: readonly DocumentSegment[],
): readonly DiffPart[] => diffTexts(joinText(old), joinText(current));
