// Finds what recognition wrote instead of a term of the vocabulary: its spelling as known from a correction, the same
// letters, or, for English, words that sound like it. Conservative: a wrong spelling is a smaller fault than a wrong
// word. Pure; the caller finds out which words are in the dictionary.

import type { VocabularyTerm } from "../../contract/vocabulary.ts";
import { nearness, plainSpelling, soundOf, type Sound } from "./near-sound.ts";

/** A range of a text that is to be written as a term. */
export type Correction = {
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** It applies only if one of these is in no dictionary; none: it always applies. */
  readonly doubtful: readonly string[];
};

/** The best one first; they may overlap. One that changes nothing keeps others from its range. */
export type FindCorrections = (
  text: string,
  options: { hasNearSounds: boolean },
) => readonly Correction[];

type Token = { readonly text: string; readonly start: number; readonly end: number };
type Run = Token & { readonly words: readonly string[] };
type Term = { readonly word: string; readonly wordCount: number; readonly sound: Sound };
/** The lower, the better. */
type Ranked = Correction & { readonly rank: number };

const tokenPattern = /[\p{L}\p{M}\p{N}]+(?:['’.&+][\p{L}\p{M}\p{N}]+)*/gu;
const possessivePattern = /['’]s$/i;
/** Terms of more words are only found as they are written. */
const maxRunWords = 5;
/** Ranks up to 1 are for near sounds, by how much they differ. */
const [exactRank, heardRank, sameLettersRank] = [-3, -2, -1];

export function createCorrectionFinder(entries: readonly VocabularyTerm[]): FindCorrections {
  const terms: readonly Term[] = entries.map(({ word }) => ({
    word,
    wordCount: countWords(word),
    sound: soundOf(word),
  }));
  const exact = new Set(entries.map(({ word }) => word));
  const byHeard = new Map(
    entries.flatMap(({ heard, word }) => (heard === "" ? [] : [[foldCase(heard), word] as const])),
  );
  const byLetters = new Map(terms.map((term) => [term.sound.letters, term.word]));
  const byFirstSound = groupByFirstSound(terms);
  const longest = entries.flatMap(({ word, heard }) => [countWords(word), countWords(heard)]);
  const maxWords = Math.min(maxRunWords, Math.max(0, ...longest) + 1);

  function correct(run: Run, hasNearSounds: boolean): Ranked[] {
    const { text, start, end } = run;
    const always = { start, end, doubtful: [] };
    if (exact.has(text)) return [{ ...always, replacement: text, rank: exactRank }];
    const heard = byHeard.get(foldCase(text));
    if (heard !== undefined) return [{ ...always, replacement: heard, rank: heardRank }];
    const same = byLetters.get(plainSpelling(text));
    if (same !== undefined) return correctSpelling(run, same);
    return hasNearSounds ? correctSound(run, byFirstSound) : [];
  }

  return (text, { hasNearSounds }) =>
    listRuns(text, maxWords)
      .flatMap((run) => correct(run, hasNearSounds))
      .sort((one, other) => one.rank - other.rank || other.end - other.start - one.end + one.start);
}

/** For differences of case, hyphens, accents and spaces. */
function correctSpelling({ text, start, end, words }: Run, word: string): Ranked[] {
  const isCaseOnly = foldCase(text) === foldCase(word);
  // At the start of a sentence, or in a title.
  if (isCaseOnly && word === word.toLowerCase()) return [];
  // "Will" is a name, "will" is none.
  const isInitialOnly = isCaseOnly && lowerInitials(text) === lowerInitials(word);
  return [
    { start, end, replacement: word, doubtful: isInitialOnly ? words : [], rank: sameLettersRank },
  ];
}

function correctSound(
  { text, start, end, words }: Run,
  byFirstSound: ReadonlyMap<string, readonly Term[]>,
): Ranked[] {
  const sound = soundOf(text);
  let best: { word: string; difference: number } | undefined;
  let isTie = false;
  for (const term of new Set(firstSounds(sound).flatMap((key) => byFirstSound.get(key) ?? []))) {
    const difference = nearness(sound, term.sound, words.length === term.wordCount);
    if (difference === undefined || (best !== undefined && difference > best.difference)) continue;
    isTie = difference === best?.difference;
    best = { word: term.word, difference };
  }
  return best === undefined || isTie
    ? []
    : [{ start, end, replacement: best.word, doubtful: words, rank: best.difference }];
}

function groupByFirstSound(terms: readonly Term[]): ReadonlyMap<string, readonly Term[]> {
  const groups = new Map<string, Term[]>();
  for (const term of terms)
    for (const first of firstSounds(term.sound))
      groups.set(first, [...(groups.get(first) ?? []), term]);
  return groups;
}

const firstSounds = ({ keys }: Sound): string[] => [...new Set(keys.map((key) => key.charAt(0)))];

/** All runs of up to `maxWords` words with nothing but spaces and hyphens between them, without a final "'s". */
function listRuns(text: string, maxWords: number): Run[] {
  const tokens = tokenize(text);
  return tokens.flatMap((first, index) => {
    const runs: Run[] = [];
    for (const [offset, token] of tokens.slice(index, index + maxWords).entries()) {
      const gap = text.slice(tokens[index + offset - 1]?.end ?? 0, token.start);
      if (offset > 0 && !/^(?:\s+|-)$/.test(gap)) break;
      const end = token.end - (possessivePattern.exec(token.text)?.[0].length ?? 0);
      const words = tokens
        .slice(index, index + offset + 1)
        .map((word) => word.text.replace(possessivePattern, ""));
      runs.push({ text: text.slice(first.start, end), start: first.start, end, words });
    }
    return runs;
  });
}

const tokenize = (text: string): Token[] =>
  Array.from(text.matchAll(tokenPattern), ({ 0: word, index }) => ({
    text: word,
    start: index,
    end: index + word.length,
  }));

const countWords = (text: string): number => tokenize(text).length;
const foldCase = (text: string): string => text.toLowerCase().replace(/\s+/g, " ");
const lowerInitials = (text: string): string =>
  text.replace(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, (letter) => letter.toLowerCase());
