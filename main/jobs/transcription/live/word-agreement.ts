// Which words of growing speech are shown, and which are settled (after LocalAgreement of Macháček et al., "Turning
// Whisper into Real-Time Transcription System", 2023). Shown are words that two passes in a row agree on, or one is
// sure of; settled are those on which passes agree for a while. Settled words stay as they are, whatever later passes
// say, until the last pass over the whole utterance replaces the text.

import { isWrittenWithoutSpaces } from "../../../contract/languages.ts";
import type { DraftTranscript } from "../../../contract/speech.ts";

/** The concatenation is the text so far. */
export type LiveText = { readonly settled: string; readonly unsettled: string };

type TimedWord = NonNullable<DraftTranscript["words"]>[number];
type WordTime = Omit<TimedWord, "word">;

export type RecognizedText = Pick<DraftTranscript, "text" | "words"> & {
  /** Length of the speech. */
  readonly audioSec: number;
};

export type WordAgreement = {
  /** Takes what the next pass recognized. */
  update(recognized: RecognizedText): LiveText;
  /** Takes the text of the pass after the last word, all of which is settled. */
  finish(text: string): LiveText;
};

/** `key` is compared, `text` is shown, with the space before it. */
type Word = { readonly key: string; readonly text: string };

const spacedWord = /\s*\S+/gu;
const character = /\s*[\p{L}\p{N}]\p{M}*[^\p{L}\p{N}]*/gu;

const wordsOf = (text: string): Word[] =>
  (text.trim().match(isWrittenWithoutSpaces(text) ? character : spacedWord) ?? []).map((word) => ({
    key: word.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ""),
    text: word,
  }));

const joinWords = (words: readonly Word[]): string => words.map(({ text }) => text).join("");

/** A word that is at least as probable is shown at once, if it was over for this long. */
const certainWord = { minProbability: 0.8, minAgeSec: 0.3 };
/** Passes that agree over this much more speech replace what is shown. */
const minReplacingSec = 0.7;
/** Passes that contradict what is shown over this much more speech replace it, even if they contradict each other. */
const maxConflictSec = 1.5;
/** As many passes in a row settle the words that they agree on, over this much more speech. */
const settlingPasses = 3;
const minSettlingSec = 1;
/** Less probable words are often replaced by the last pass: they take longer. */
const minSettlingProbability = 0.7;
const minImprobableSettlingSec = 2;
/** A word that was over for this long is settled by any passes in a row: in noisy speech they hardly ever agree. */
const maxUnsettledSec = 4;

type Pass = { readonly audioSec: number; readonly rest: readonly Word[] };

export function createWordAgreement(): WordAgreement {
  const settled: Word[] = [];
  /** What passes recognized after the settled words, the latest first. */
  let passes: readonly Pass[] = [];
  /** The words after the settled ones that are shown. */
  let shown: readonly Word[] = [];
  /** Length of the speech when passes began to recognize something else than what is shown. */
  let conflictFromSec: number | undefined;
  const liveText = (): LiveText => ({
    settled: joinWords(settled).trimStart(),
    unsettled: joinWords(shown),
  });
  return {
    update({ text, audioSec, words: timedWords = [] }) {
      const allWords = wordsOf(text);
      const words = withoutLoop(allWords);
      const from = restIndex(words, settled);
      const latest = { audioSec, rest: words.slice(from) };
      const { rest } = latest;
      const times = timesOf(allWords, timedWords).slice(from);
      const agreements = agreementsOf(latest, passes);
      const sureCount = countWhile(
        agreements,
        (agreement, index) => agreement.passes > 1 || isCertain(times[index], audioSec),
      );
      const sameCount = commonLength(rest, shown);
      const change = sameCount < sureCount ? agreements[sameCount] : undefined;
      const isContradicted = sameCount < shown.length;
      conflictFromSec = isContradicted ? (conflictFromSec ?? audioSec) : undefined;
      const isReplaced =
        change !== undefined &&
        ((change.passes > 1 && change.sec >= minReplacingSec) ||
          audioSec - (conflictFromSec ?? audioSec) >= maxConflictSec);
      shown =
        isContradicted && !isReplaced
          ? [...rest.slice(0, sameCount), ...shown.slice(sameCount)]
          : rest.slice(0, Math.max(sureCount, sameCount));
      const settledCount = countWhile(
        agreements.slice(0, commonLength(rest, shown)),
        (agreement, index) =>
          agreement.passes >= settlingPasses &&
          agreement.sec >= settlingSec(times[index], audioSec),
      );
      settled.push(...rest.slice(0, settledCount));
      shown = shown.slice(settledCount);
      passes = [latest, ...passes]
        .filter((pass) => commonLength(rest, pass.rest) >= settledCount)
        .map((pass) => ({ ...pass, rest: pass.rest.slice(settledCount) }));
      return liveText();
    },
    finish(text) {
      const words = wordsOf(text);
      settled.push(...words.slice(restIndex(words, settled)));
      passes = [];
      shown = [];
      return liveText();
    },
  };
}

const isCertain = (word: WordTime | undefined, audioSec: number): boolean =>
  word !== undefined &&
  word.probability >= certainWord.minProbability &&
  audioSec - word.endSec >= certainWord.minAgeSec;

function settlingSec(word: WordTime | undefined, audioSec: number): number {
  if (word === undefined) return minSettlingSec;
  if (audioSec - word.endSec >= maxUnsettledSec) return 0;
  return word.probability >= minSettlingProbability ? minSettlingSec : minImprobableSettlingSec;
}

/**
 * For each word of the latest pass: how many passes in a row recognized the text until there, and over how much speech.
 */
function agreementsOf(
  latest: Pass,
  earlier: readonly Pass[],
): readonly { passes: number; sec: number }[] {
  const agreements = latest.rest.map(() => ({ passes: 1, sec: 0 }));
  let count = latest.rest.length;
  for (const { audioSec, rest } of earlier) {
    count = Math.min(count, commonLength(latest.rest, rest));
    for (const agreement of agreements.slice(0, count)) {
      agreement.passes += 1;
      agreement.sec = latest.audioSec - audioSec;
    }
  }
  return agreements;
}

const lengthOf = (text: string): number => text.replaceAll(/\s/gu, "").length;

/** Of each word, whose bounds may be others; empty if the texts differ. */
function timesOf(words: readonly Word[], timedWords: readonly TimedWord[]): WordTime[] {
  const ofLetters = timedWords.flatMap((timed) =>
    Array.from({ length: lengthOf(timed.word) }, () => timed),
  );
  let to = 0;
  const ofWords = words.map(({ text }) => ofLetters.slice(to, (to += lengthOf(text))));
  if (to !== ofLetters.length) return [];
  return ofWords.map((timed) => ({
    endSec: Math.max(...timed.map(({ endSec }) => endSec)),
    probability: Math.min(...timed.map(({ probability }) => probability)),
  }));
}

function countWhile<Item>(
  items: readonly Item[],
  holds: (item: Item, index: number) => boolean,
): number {
  const first = items.findIndex((item, index) => !holds(item, index));
  return first < 0 ? items.length : first;
}

/** Words of a phrase that models repeat where the audio is cut. */
const maxLoopWords = 8;

/** The words without those at the end that repeat the ones before. */
function withoutLoop(words: readonly Word[]): readonly Word[] {
  let kept = words.length;
  for (let period = 1; period <= Math.min(maxLoopWords, words.length / 2); period += 1) {
    let from = words.length;
    while (from > period && words[from - 1]?.key === words[from - 1 - period]?.key) from -= 1;
    if (words.length - from >= period) kept = Math.min(kept, from);
  }
  return words.slice(0, kept);
}

/**
 * Where the words after the settled ones start: after those first words that are most like them (the fewest edits),
 * since a pass may join or split words, or recognize others. In doubt, after as many words as are settled.
 */
function restIndex(words: readonly Word[], settled: readonly Word[]): number {
  let row = Array.from({ length: words.length + 1 }, (_, count) => count);
  for (const { key } of settled) {
    const next = [(row[0] ?? 0) + 1];
    for (const [index, word] of words.entries())
      next.push(
        Math.min(
          (row[index] ?? 0) + (word.key === key ? 0 : 1),
          (row[index + 1] ?? 0) + 1,
          (next[index] ?? 0) + 1,
        ),
      );
    row = next;
  }
  const fewest = Math.min(...row);
  const candidates = [...row.keys()].filter((count) => row[count] === fewest);
  const distance = (count: number): number => Math.abs(count - settled.length);
  return candidates.reduce((best, count) => (distance(count) < distance(best) ? count : best));
}

const commonLength = (words: readonly Word[], others: readonly Word[]): number =>
  countWhile(words, ({ key }, index) => key === others[index]?.key);

/** What follows text that was already passed on, word by word, since a later pass may have changed its words. */
export const textAfter = (text: string, shown: string): string => {
  const words = wordsOf(text);
  const shownWords = wordsOf(shown);
  const rest = joinWords(words.slice(restIndex(words, shownWords)));
  return shownWords.length === 0 ? rest.trimStart() : rest;
};
