// Word error rate: how a recognized text differs from a reference text, as the fewest substituted, deleted and inserted
// words (Levenshtein), or characters where words are not separated. Case and punctuation do not count; numbers in
// digits differ from those in words.

import { isWrittenWithoutSpaces, languagesWithoutSpaces } from "../contract/languages.ts";
import type { ErrorCounts, MarkedPart } from "../contract/measurements.ts";
import { runInSlices } from "../processes/time-slices.ts";

export type TextErrors = ErrorCounts & { readonly rate: number; readonly parts: MarkedPart[] };

/** `key` is what is compared, `text` what is shown, with the space and punctuation that follow. */
type Unit = { readonly key: string; readonly text: string };

/** @param language a code of contract/languages.ts */
export async function findTextErrors(
  expected: string,
  recognized: string,
  language: string,
): Promise<TextErrors> {
  // The language may be the wrong one.
  const unit =
    languagesWithoutSpaces.has(language) || isWrittenWithoutSpaces(expected)
      ? "characters"
      : "words";
  const reference = unitsOf(expected, unit);
  const recognizedUnits = unitsOf(recognized, unit);
  const steps = await runInSlices(alignUnits(reference, recognizedUnits));
  const count = (kind: MarkedPart["kind"]): number =>
    steps.filter((step) => step.kind === kind).length;
  const counts = {
    substituted: count("substituted"),
    deleted: count("deleted"),
    inserted: count("inserted"),
  };
  const errors = counts.substituted + counts.deleted + counts.inserted;
  return {
    unit,
    length: reference.length,
    ...counts,
    rate: errors === 0 ? 0 : errors / Math.max(1, reference.length),
    parts: joinEqualKinds(steps),
  };
}

/** An apostrophe belongs to its word; every other sign separates words. */
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*[^\p{L}\p{M}\p{N}]*/gu;
const characterPattern = /[\p{L}\p{N}]\p{M}*[^\p{L}\p{N}]*/gu;

const unitsOf = (text: string, unit: ErrorCounts["unit"]): Unit[] =>
  (text.normalize("NFKC").match(unit === "words" ? wordPattern : characterPattern) ?? []).map(
    (part) => ({ key: part.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ""), text: part }),
  );

/** Of all alignments with the fewest errors, the one with the most equal words is the easiest to read. */
const matchCost = -(2 ** -20);
const diagonal = 0;
const deletion = 1;
const insertion = 2;

/**
 * What one alignment may take: a byte and some nanoseconds each. Longer texts are compared only in a band along the
 * diagonal, which finds the fewest errors unless thousands of units are missing or added in one place.
 */
const maxCells = 2 ** 26;

/** Yields after each row. @returns one part for each unit of either text, in order */
function* alignUnits(
  reference: readonly Unit[],
  recognizedUnits: readonly Unit[],
): Generator<void, MarkedPart[]> {
  const rows = reference.length + 1;
  const width = Math.min(recognizedUnits.length + 1, Math.floor(maxCells / rows));
  /** First column of the band. */
  const startOf = (row: number): number =>
    Math.round(((recognizedUnits.length + 1 - width) * row) / Math.max(1, reference.length));
  const moves = new Uint8Array(rows * width).fill(insertion, 0, width);
  let costs = Float64Array.from({ length: width }, (_, column) => column);
  for (let row = 1; row < rows; row++) {
    const start = startOf(row);
    const shift = start - startOf(row - 1);
    const key = reference[row - 1]?.key;
    const next = new Float64Array(width);
    for (let at = 0; at < width; at++) {
      const isEqual = key === recognizedUnits[start + at - 1]?.key;
      const replaced = (costs[at + shift - 1] ?? Infinity) + (isEqual ? matchCost : 1);
      const deleted = (costs[at + shift] ?? Infinity) + 1;
      const inserted = (next[at - 1] ?? Infinity) + 1;
      const best = Math.min(replaced, deleted, inserted);
      next[at] = best;
      moves[row * width + at] =
        best === replaced ? diagonal : best === deleted ? deletion : insertion;
    }
    costs = next;
    yield;
  }
  return tracePath(
    reference,
    recognizedUnits,
    (row, column) => moves[row * width + column - startOf(row)],
  );
}

/** Follows the moves back from the ends of both texts. */
function tracePath(
  reference: readonly Unit[],
  recognizedUnits: readonly Unit[],
  moveTo: (row: number, column: number) => number | undefined,
): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let [row, column] = [reference.length, recognizedUnits.length];
  while (row > 0 || column > 0) {
    const move = moveTo(row, column);
    const expected = move === insertion ? undefined : reference[--row];
    const recognized = move === deletion ? undefined : recognizedUnits[--column];
    if (recognized === undefined) parts.push({ kind: "deleted", text: expected?.text ?? "" });
    else if (expected === undefined) parts.push({ kind: "inserted", text: recognized.text });
    else if (expected.key === recognized.key) parts.push({ kind: "same", text: recognized.text });
    else parts.push({ kind: "substituted", text: recognized.text, expected: expected.text });
  }
  return parts.reverse();
}

function joinEqualKinds(steps: readonly MarkedPart[]): MarkedPart[] {
  const parts: MarkedPart[] = [];
  for (const step of steps) {
    const last = parts.at(-1);
    if (last?.kind !== step.kind) {
      parts.push(step);
      continue;
    }
    parts[parts.length - 1] = {
      kind: last.kind,
      text: last.text + step.text,
      ...(last.expected === undefined ? {} : { expected: last.expected + (step.expected ?? "") }),
    };
  }
  return parts;
}
