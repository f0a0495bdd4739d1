// What stands before a paragraph: its time and its speaker; and notes.

import type { TranscriptNote } from "../contract/transcript-document.ts";
import type { TranscriptParagraph } from "./paragraphs.ts";

/** For example `[0:01:23] Anna: `; empty if there is nothing to say. */
export const formatSpeakerTime = (
  { startSec, speaker }: Pick<TranscriptParagraph, "startSec" | "speaker">,
  hasTime: boolean,
): string =>
  [
    hasTime ? `[${formatTime(startSec)}] ` : "",
    speaker === undefined ? "" : `${toOneLine(speaker)}: `,
  ].join("");

/** For example `[0:01:23] Ask for the figures`. A marker has no text. */
export const formatNote = ({ atSec, text }: TranscriptNote): string =>
  `[${formatTime(atSec)}] ${toOneLine(text)}`.trimEnd();

/** `0:01:23` */
export function formatTime(timeSec: number): string {
  const sec = Math.floor(timeSec);
  const [minutes, seconds] = [Math.floor(sec / 60) % 60, sec % 60].map((value) =>
    String(value).padStart(2, "0"),
  );
  return `${Math.floor(sec / 3600)}:${minutes}:${seconds}`;
}

export const toOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Without control characters and lone surrogates, which XML does not allow and no font can show. */
export const toXmlText = (text: string): string =>
  text.toWellFormed().replaceAll(/\p{Cc}|[\ufffe\uffff]/gu, " ");
