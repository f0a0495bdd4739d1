// Detects errors in windows shared by several segments that no score shows: Whisper writes only one language, or stops
// after the first part. Finds where to split a window, and whether words are missing.

import type { LanguageProbability, SpeechSegment } from "../../engine.ts";
import { hasTooFewWords } from "../missing-words.ts";
import { sampleRateHz, type Span, type Window, createSubWindow } from "./windows.ts";

/** A language this probable overrides the likely language. */
export const minCertainProbability = 0.7;

/** Less voice than this may be a breath, or a word included in the times of its neighbours. */
const minVoicedSec = 1;

/**
 * Splits the window where the language certainly changes. `bestLanguages` has the most probable language of each span.
 */
export function splitByLanguage(
  window: Window,
  bestLanguages: readonly (LanguageProbability | undefined)[],
): Window[] {
  const parts: [Span, ...Span[]][] = [];
  let currentLanguage: string | undefined;
  for (const [index, span] of window.spans.entries()) {
    const certainLanguage = findCertainLanguage(bestLanguages[index]);
    const currentPart = parts.at(-1);
    if (
      currentPart === undefined ||
      (certainLanguage !== undefined &&
        currentLanguage !== undefined &&
        certainLanguage !== currentLanguage)
    )
      parts.push([span]);
    else currentPart.push(span);
    currentLanguage = certainLanguage ?? currentLanguage;
  }
  return parts.length < 2 ? [window] : parts.map((spans) => createSubWindow(window, spans));
}

/** Whether a window of these languages is not split. */
export const areSameLanguage = (
  bestLanguages: readonly (LanguageProbability | undefined)[],
): boolean =>
  new Set(bestLanguages.map(findCertainLanguage).filter((language) => language !== undefined))
    .size < 2;

const findCertainLanguage = (best: LanguageProbability | undefined): string | undefined =>
  best !== undefined && best.probability >= minCertainProbability ? best.language : undefined;

/**
 * Words per span, where only times of longer text runs are known (seconds in the window): words are divided by how much
 * of each span the run covers.
 */
export function countWordsBySpan(
  { spans }: Window,
  textRuns: readonly { startSec: number; endSec: number; words: number }[],
): number[] {
  const counts = spans.map(() => 0);
  for (const { startSec, endSec, words } of textRuns) {
    const overlapSec = spans.map(({ windowSec, lengthSec }) =>
      Math.max(0, Math.min(endSec, windowSec + lengthSec) - Math.max(startSec, windowSec)),
    );
    const totalOverlapSec = overlapSec.reduce((sum, sec) => sum + sec, 0);
    for (const [index, sec] of overlapSec.entries())
      if (totalOverlapSec > 0)
        counts[index] = (counts[index] ?? 0) + (words * sec) / totalOverlapSec;
  }
  return counts;
}

/**
 * Whether one of the spans, up to `untilSec` in the window, has too few words for its voice.
 * @param wordCounts words of each span
 */
export function hasMissingWords(
  { spans }: Window,
  wordCounts: readonly number[],
  speechSegments: readonly SpeechSegment[],
  untilSec = Infinity,
): boolean {
  return spans.some(({ speechSegmentIndex, windowSec, lengthSec }, index) => {
    const speechSegment = speechSegments[speechSegmentIndex] as SpeechSegment;
    const voicedSec =
      (speechSegment.voicedSec * lengthSec * sampleRateHz) / speechSegment.samples.length;
    return (
      voicedSec >= minVoicedSec &&
      windowSec + lengthSec <= untilSec &&
      hasTooFewWords(wordCounts[index] ?? 0, voicedSec)
    );
  });
}
