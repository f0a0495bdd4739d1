// Word-by-word difference of two transcriptions of the same range.

import { separatorBefore } from "../../../../main/contract/languages.ts";
import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { commonSubsequence } from "../../../ui/common-subsequence.ts";

export type DiffPart = { readonly kind: "same" | "gone" | "new"; readonly text: string };

const scriptsWithoutSpaces = new RegExp(
  `[${["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`,
  "u",
);

/**
 * Words with the space after them; single characters in scripts without spaces. Decides by script, because the two
 * transcriptions may report different languages.
 */
function tokenize(text: string): string[] {
  const words = text.trim().match(/\S+\s*/g) ?? [];
  return words.flatMap((word) => (scriptsWithoutSpaces.test(word) ? Array.from(word) : [word]));
}

/**
 * Parts in order: `same` and `gone` form the old text, `same` and `new` the new one, except for spaces at line ends.
 */
export function diffTexts(oldText: string, newText: string): readonly DiffPart[] {
  const [old, current] = [tokenize(oldText), tokenize(newText)];
  const pairs = commonSubsequence(
    old.map((token) => token.trim()),
    current.map((token) => token.trim()),
  );
  const parts: { kind: DiffPart["kind"]; text: string }[] = [];
  const add = (kind: DiffPart["kind"], tokens: readonly string[]): void => {
    const last = parts.at(-1);
    if (tokens.length === 0) return;
    if (last?.kind === kind) last.text += tokens.join("");
    else parts.push({ kind, text: tokens.join("") });
  };
  let [i, j] = [0, 0];
  for (const [inOld, inCurrent] of [...pairs, [old.length, current.length] as const]) {
    add("gone", old.slice(i, inOld));
    add("new", current.slice(j, inCurrent));
    add("same", current.slice(inCurrent, inCurrent + 1));
    [i, j] = [inOld + 1, inCurrent + 1];
  }
  return parts;
}

const joinText = (segments: readonly DocumentSegment[]): string =>
  segments.map((segment) => segment.text.trim()).join(separatorBefore(segments[0]?.language ?? ""));

export const diffTranscriptions = (
  old: readonly DocumentSegment[],
  current: readonly DocumentSegment[],
): readonly DiffPart[] => diffTexts(joinText(old), joinText(current));
