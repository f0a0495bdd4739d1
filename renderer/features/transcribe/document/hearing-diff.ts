// What two hearings of the same stretch say differently, word by word, for a person to choose from.

import type { DocumentSegment } from '../../../../main/contract/studio.ts';
import { spaceBetween } from './segments.ts';

export type DiffPart = { readonly kind: 'same' | 'gone' | 'new'; readonly text: string };

/** Past this many cells of the table, what differs is shown as one block. */
const mostCells = 4_000_000;

/** Words with the space after them; each sign on its own where a language writes no spaces. */
function tokensOf(text: string): string[] {
  const words = text.trim().match(/\S+\s*/g) ?? [];
  return words.flatMap((word) => (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word) ? Array.from(word) : [word]));
}

/** Lengths of the longest common sequence of what is left of both, from each pair of places on. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      lengths[at] = old[i] === now[j] ? (lengths[at + width + 1] ?? 0) + 1 : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  return lengths;
}

/** Parts in order: `same` and `gone` make the old text, `same` and `new` the new one, spaces at line ends aside. */
export function diffTexts(oldText: string, newText: string): readonly DiffPart[] {
  const [old, now] = [tokensOf(oldText), tokensOf(newText)];
  const [oldKeys, nowKeys] = [old.map((token) => token.trim()), now.map((token) => token.trim())];
  const parts: { kind: DiffPart['kind']; text: string }[] = [];
  const add = (kind: DiffPart['kind'], text: string): void => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  };
  if ((old.length + 1) * (now.length + 1) > mostCells) return oldText === newText ? [{ kind: 'same', text: newText }] : [{ kind: 'gone', text: oldText }, { kind: 'new', text: newText }];
  const lengths = commonLengths(oldKeys, nowKeys);
  const width = now.length + 1;
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && oldKeys[i] === nowKeys[j]) {
      add('same', now[j] ?? '');
      i += 1;
      j += 1;
    } else if (i < old.length && (j >= now.length || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))) {
      add('gone', old[i] ?? '');
      i += 1;
    } else {
      add('new', now[j] ?? '');
      j += 1;
    }
  }
  return parts;
}

const textOf = (segments: readonly DocumentSegment[]): string => segments.map((segment) => segment.text.trim()).join(spaceBetween(segments[0]?.language ?? ''));

export const diffHearings = (old: readonly DocumentSegment[], now: readonly DocumentSegment[]): readonly DiffPart[] => diffTexts(textOf(old), textOf(now));
