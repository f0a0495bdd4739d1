// What holds for every transcript, whichever engine or provider made it.

import { separatorBefore } from "./languages.ts";
import type { TranscriptionJob, TranscriptSegment } from "./speech.ts";

type Task = TranscriptionJob["task"];

/** Separator before a segment that follows another one. Translations are English, whatever language was spoken. */
export const separatorBeforeSegment = (
  { language }: Pick<TranscriptSegment, "language">,
  task: Task,
): "" | " " => separatorBefore(task === "translate" ? "en" : language);

/** The text of a transcript. */
export const joinSegments = (
  segments: readonly Pick<TranscriptSegment, "language" | "text">[],
  task: Task,
): string =>
  segments
    .map((segment) => separatorBeforeSegment(segment, task) + segment.text)
    .join("")
    .trim();

/** A segment of which only the text is known. Figures that only the model knows get neutral values. */
export const createTextSegment = (
  text: string,
  { startSec, endSec }: { startSec: number; endSec: number },
  language: string,
): TranscriptSegment => ({
  startSec,
  endSec,
  text: text.trim(),
  tokens: [],
  temperature: 0,
  avgLogprob: 0,
  compressionRatio: 1,
  noSpeechProb: 0,
  seekFrames: Math.round(startSec * 100),
  language,
});

type SpeechSpan = Pick<TranscriptSegment, "language" | "startSec" | "endSec">;

/** Adds up the speech by language; a segment's language may be empty. */
export function addSpeechSec(
  secByLanguage: Map<string, number>,
  segments: readonly SpeechSpan[],
): Map<string, number> {
  for (const { language, startSec, endSec } of segments)
    secByLanguage.set(language, (secByLanguage.get(language) ?? 0) + endSec - startSec);
  return secByLanguage;
}

/** The language with the most speech; undefined if nothing was said or no segment has a language. */
export function dominantLanguage(secByLanguage: ReadonlyMap<string, number>): string | undefined {
  return [...secByLanguage]
    .filter(([language]) => language !== "")
    .reduce<[string, number] | undefined>(
      (longest, candidate) =>
        longest === undefined || candidate[1] > longest[1] ? candidate : longest,
      undefined,
    )?.[0];
}
