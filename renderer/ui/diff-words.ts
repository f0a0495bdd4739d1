// Difference of two word lists (Myers's algorithm). The caller splits texts into words and normalizes them. Pure.

import { diffArrays } from "diff/lib/diff/array.js";

export type WordChange = {
  readonly added: boolean;
  readonly removed: boolean;
  /** Words of the new list, or of the old one if they were removed. */
  readonly count: number;
};

/** The time grows with its square: 1,500 differing words take up to 0.2 s. */
const maxDifferingWords = 1500;

/** In order; added words follow the removed ones. Lists that differ in too many words count as completely different. */
export function diffWords(old: string[], current: string[]): readonly WordChange[] {
  const changes = diffArrays(old, current, { maxEditLength: maxDifferingWords }) ?? [
    { added: false, removed: true, count: old.length },
    { added: true, removed: false, count: current.length },
  ];
  return changes.filter(({ count }) => count > 0);
}
