// Applies corrections to a segment and its words, which keep their times. Pure.

import type { TranscriptSegment, TranscriptWord } from "../../contract/speech.ts";
import type { Correction } from "./find-corrections.ts";

/** Those that apply, in order of the text. @param found the best one first */
export function chooseCorrections(
  found: readonly Correction[],
  isUnknown: (word: string) => boolean,
): Correction[] {
  const chosen: Correction[] = [];
  for (const correction of found) {
    const { start, end, doubtful } = correction;
    const isTaken = chosen.some((other) => other.start < end && start < other.end);
    if (!isTaken && (doubtful.length === 0 || doubtful.some(isUnknown))) chosen.push(correction);
  }
  return chosen.sort((one, other) => one.start - other.start);
}

/** @param corrections in order of the text, without overlaps */
export function applyCorrections(
  segment: TranscriptSegment,
  corrections: readonly Correction[],
): TranscriptSegment {
  const { text, words } = segment;
  const changes = corrections.filter(
    ({ start, end, replacement }) => text.slice(start, end) !== replacement,
  );
  if (changes.length === 0) return segment;
  let corrected = "";
  let at = 0;
  for (const { start, end, replacement } of changes) {
    corrected += text.slice(at, start) + replacement;
    at = end;
  }
  return {
    ...segment,
    text: corrected + text.slice(at),
    ...(words === undefined ? {} : { words: correctWords(text, words, changes) }),
  };
}

/** Words that a correction joins become one, with what was heard, so that the change can be seen and taken back. */
function correctWords(
  text: string,
  words: readonly TranscriptWord[],
  changes: readonly Correction[],
): TranscriptWord[] {
  const ranges = locateWords(text, words);
  const corrected: TranscriptWord[] = [];
  /** The last word, if a correction made it. */
  let joined: { change: Correction; start: number; at: number } | undefined;
  for (const [index, word] of words.entries()) {
    const range = ranges[index];
    const change =
      range && changes.find(({ start, end }) => start < range.end && range.start < end);
    if (range === undefined || change === undefined) {
      corrected.push(word);
      continue;
    }
    const first = joined?.change === change ? corrected[joined.at] : undefined;
    if (first === undefined || joined === undefined)
      joined = { change, start: range.start, at: corrected.length };
    const { start, at } = joined;
    const before = text.slice(start, Math.max(start, change.start));
    const after = text.slice(Math.min(range.end, change.end), range.end);
    const space = /^\s*/.exec((first ?? word).word)?.[0] ?? "";
    corrected[at] = {
      ...(first ?? word),
      word: `${space}${before}${change.replacement}${after}`,
      heard: text.slice(start, range.end),
      endSec: word.endSec,
      probability: Math.min(first?.probability ?? 1, word.probability),
    };
  }
  return corrected;
}

/** Where each word is in the text; undefined for words that it does not contain. */
function locateWords(
  text: string,
  words: readonly TranscriptWord[],
): ({ start: number; end: number } | undefined)[] {
  let from = 0;
  return words.map(({ word }) => {
    const written = word.trim();
    const start = written === "" ? -1 : text.indexOf(written, from);
    if (start < 0) return undefined;
    from = start + written.length;
    return { start, end: from };
  });
}
