// Plans the files of a finished narration: order of takes and pauses, chapters and subtitles. Pure. See
// jobs/narration/audiobook-export.ts for joining the audio.

import { splitCue } from "../transcript/cue-splitting.ts";
import type { EpubSentence } from "./epub.ts";
import type { Cue } from "../transcript/subtitles.ts";
import type { Chapter } from "./mp4-chapters.ts";

/** A sentence with its chosen take. */
export type GeneratedSentence = {
  takeId: string;
  durationSec: number;
  pauseSec: number;
  gainDb?: number;
  written: string;
  /** A line break stands before it in the script. */
  startsParagraph: boolean;
  chapter?: string;
};

export type PlannedFile = {
  /** Title of the chapter, otherwise of the audiobook. */
  title: string;
  /** Starts at 1; only if there are several files. */
  track?: number;
  parts: { takeId: string; pauseSec: number; gainDb?: number }[];
  cues: Cue[];
  /** Each to the end of the pause after it. */
  sentences: EpubSentence[];
  chapters: Chapter[];
};

/** Yields after each sentence. @param pauseUnitSec pauses are rounded to multiples of it: the duration of a sample */
export function* planAudiobook(
  sentences: readonly GeneratedSentence[],
  bookTitle: string,
  perChapter: boolean,
  pauseUnitSec: number,
): Generator<undefined, PlannedFile[]> {
  const groups: { title: string; sentences: GeneratedSentence[] }[] = [];
  for (const sentence of sentences) {
    const current = groups.at(-1);
    if (current === undefined || sentence.chapter !== undefined)
      groups.push({ title: sentence.chapter ?? bookTitle, sentences: [sentence] });
    else current.sentences.push(sentence);
  }
  if (!perChapter || groups.length < 2)
    return [{ ...(yield* planFile(groups, pauseUnitSec)), title: bookTitle }];
  const files: PlannedFile[] = [];
  for (const [index, group] of groups.entries())
    files.push({
      ...(yield* planFile([group], pauseUnitSec)),
      title: group.title,
      track: index + 1,
    });
  return files;
}

function* planFile(
  groups: readonly { title: string; sentences: readonly GeneratedSentence[] }[],
  pauseUnitSec: number,
): Generator<undefined, Pick<PlannedFile, "parts" | "cues" | "sentences" | "chapters">> {
  const parts: PlannedFile["parts"] = [];
  const cues: Cue[] = [];
  const spoken: EpubSentence[] = [];
  const chapters: Chapter[] = [];
  const lastSentence = groups.at(-1)?.sentences.at(-1);
  let positionSec = 0;
  for (const { title, sentences } of groups) {
    const startSec = positionSec;
    for (const sentence of sentences) {
      yield;
      const { takeId, durationSec, gainDb, written, startsParagraph } = sentence;
      // No pause after the last sentence.
      const pauseSec =
        sentence === lastSentence ? 0 : Math.round(sentence.pauseSec / pauseUnitSec) * pauseUnitSec;
      parts.push({ takeId, pauseSec, ...(gainDb === undefined ? {} : { gainDb }) });
      if (durationSec > 0)
        cues.push(
          ...splitCue({ startSec: positionSec, endSec: positionSec + durationSec, text: written }),
        );
      const endSec = positionSec + durationSec + pauseSec;
      spoken.push({
        text: written,
        startMs: Math.round(positionSec * 1000),
        endMs: Math.round((durationSec === 0 ? positionSec : endSec) * 1000),
        startsParagraph,
      });
      positionSec = endSec;
    }
    chapters.push({ title, startSec, endSec: positionSec });
  }
  // A single chapter is omitted.
  return { parts, cues, sentences: spoken, chapters: chapters.length > 1 ? chapters : [] };
}
