// What may go wrong where pieces share a window, and no figure of the text tells: Whisper writes one language only, or
// stops after the first part. Finds where a window must be parted, and whether words of it are missing.

import type { LanguageGuess, SpeechPiece } from "../../engine.ts";
import { looksLost } from "../lost-words.ts";
import { sampleRateHz, type Span, type Window, windowOf } from "./windows.ts";

/** A language this probable is believed, against the one that is likely too. */
export const sureProbability = 0.7;

/** Less voice than this may be a breath, or a word that the times of its neighbours have taken. */
const minVoicedSec = 1;

/** Parts it where the language surely changes. `guesses` is the best one of each span. */
export function partByLanguage(
  window: Window,
  guesses: readonly (LanguageGuess | undefined)[],
): Window[] {
  const parts: [Span, ...Span[]][] = [];
  let current: string | undefined;
  for (const [index, span] of window.spans.entries()) {
    const guess = guesses[index];
    const sure =
      guess !== undefined && guess.probability >= sureProbability ? guess.language : undefined;
    const part = parts.at(-1);
    if (part === undefined || (sure !== undefined && current !== undefined && sure !== current))
      parts.push([span]);
    else part.push(span);
    current = sure ?? current;
  }
  return parts.length < 2 ? [window] : parts.map((spans) => windowOf(window, spans));
}

/** Words of each span where only the times of longer stretches are known, in seconds in the window: by their share of what it has of spans. */
export function wordsBySpan(
  { spans }: Window,
  stretches: readonly { startSec: number; endSec: number; words: number }[],
): number[] {
  const counts = spans.map(() => 0);
  for (const { startSec, endSec, words } of stretches) {
    const sharedSec = spans.map(({ windowSec, lengthSec }) =>
      Math.max(0, Math.min(endSec, windowSec + lengthSec) - Math.max(startSec, windowSec)),
    );
    const allSec = sharedSec.reduce((sum, sec) => sum + sec, 0);
    for (const [index, sec] of sharedSec.entries())
      if (allSec > 0) counts[index] = (counts[index] ?? 0) + (words * sec) / allSec;
  }
  return counts;
}

/**
 * Whether one of its spans, up to `untilSec` in the window, has too few words for its voice.
 * @param wordsIn of each span
 */
export function lacksWords(
  { spans }: Window,
  wordsIn: readonly number[],
  pieces: readonly SpeechPiece[],
  untilSec = Infinity,
): boolean {
  return spans.some(({ piece, windowSec, lengthSec }, index) => {
    const whole = pieces[piece] as SpeechPiece;
    const voicedSec = (whole.voicedSec * lengthSec * sampleRateHz) / whole.samples.length;
    return (
      voicedSec >= minVoicedSec &&
      windowSec + lengthSec <= untilSec &&
      looksLost(wordsIn[index] ?? 0, voicedSec)
    );
  });
}
