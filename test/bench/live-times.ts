// When the words of a live transcription appeared and were settled, from the events of a session.

import { commonPositions, editDistance, writtenWords } from "../support/word-error-rate.ts";
import type { TimedEvent } from "./live-stream.ts";

export type SpokenWord = { word: string; endSec: number };
export type WordTimes = {
  shownSec: number[];
  settledSec: number[];
  changedShare: number;
  resettledShare: number;
};

/** When the words of each item appeared, and when they were settled, against when they were spoken. */
export function timesOf(events: readonly TimedEvent[], spoken: readonly SpokenWord[]): WordTimes {
  const finalWords: { word: string; shownSec: number; settledSec: number }[] = [];
  let [shownCount, changedCount, settledCount, resettledCount] = [0, 0, 0, 0];
  for (const [, ofItem] of Map.groupBy(events, ({ itemId }) => itemId)) {
    const transcript = ofItem.find(({ type }) => type === "completed")?.transcript;
    if (transcript === undefined) continue;
    const words = writtenWords(transcript);
    const shownSec = words.map(() => Infinity);
    const settledSec = words.map(() => Infinity);
    let settled = "";
    let displayed: string[] = [];
    for (const { type, sec, delta = "", unsettled = "" } of ofItem) {
      if (type !== "delta" && type !== "completed") continue;
      settled += type === "delta" ? delta : "";
      const before = displayed;
      displayed = type === "completed" ? words : writtenWords(settled + unsettled);
      const settledWords = type === "completed" ? words : writtenWords(settled);
      // Words that disappear or become others; what is added changes nothing.
      changedCount += changedWords(before, displayed);
      shownCount += Math.max(0, displayed.length - before.length);
      // By order, not by position: a word that was recognized as two moves all that follow.
      for (const [index] of commonPositions(words, displayed))
        shownSec[index] = Math.min(shownSec[index] ?? sec, sec);
      for (const [index] of commonPositions(words, settledWords))
        settledSec[index] = Math.min(settledSec[index] ?? sec, sec);
    }
    const deltaWords = writtenWords(settled);
    settledCount += deltaWords.length;
    resettledCount += editDistance(words, deltaWords);
    finalWords.push(
      ...words.map((word, index) => ({
        word,
        shownSec: shownSec[index] ?? Infinity,
        settledSec: settledSec[index] ?? Infinity,
      })),
    );
  }
  const spokenWords = spoken.flatMap(({ word, endSec }) =>
    writtenWords(word).map((part) => ({ word: part, endSec })),
  );
  const pairs = commonPositions(
    spokenWords.map(({ word }) => word),
    finalWords.map(({ word }) => word),
  ).map(([at, finalAt]) => ({
    endSec: spokenWords[at]?.endSec ?? 0,
    ...(finalWords[finalAt] as (typeof finalWords)[number]),
  }));
  return {
    shownSec: pairs.map(({ shownSec, endSec }) => shownSec - endSec),
    settledSec: pairs.map(({ settledSec, endSec }) => settledSec - endSec),
    changedShare: changedCount / Math.max(1, shownCount),
    resettledShare: resettledCount / Math.max(1, settledCount),
  };
}

/** Fewest edits that make what was shown the beginning of what is shown now. */
const changedWords = (before: readonly string[], now: readonly string[]): number =>
  Math.min(
    ...Array.from({ length: now.length + 1 }, (_, count) =>
      editDistance(before, now.slice(0, count)),
    ),
  );

/** From each end of speech to the transcript. */
export const latenciesOf = (events: readonly TimedEvent[]): number[] =>
  events
    .filter(({ type }) => type === "input_audio_buffer.speech_stopped")
    .flatMap((stopped) => {
      const completed = events.find(
        ({ type, itemId }) => type === "completed" && itemId === stopped.itemId,
      );
      return completed === undefined ? [] : [completed.sec - stopped.sec];
    });

export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.filter(Number.isFinite).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
