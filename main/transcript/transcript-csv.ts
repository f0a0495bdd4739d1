// A transcript as a table (RFC 4180), with a byte order mark, without which spreadsheets guess the encoding. Pure.

import type { Transcript } from "../contract/speech.ts";
import { toOneLine } from "./paragraph-heading.ts";
import type { LaidOutTranscript, TranscriptParagraph } from "./paragraphs.ts";

/** A row for each segment; with a column for speakers if they were told apart. */
export const toSegmentTable = ({ segments }: Pick<Transcript, "segments">): string =>
  toCsv({
    paragraphs: segments,
    hasTimes: true,
    hasSpeakers: segments.some(({ speaker }) => speaker !== undefined),
  });

type Row = Pick<TranscriptParagraph, "startSec" | "endSec" | "speaker" | "text">;

/** Columns `start`, `end` (seconds), `speaker` and `text`, as far as they are wanted. */
export function toCsv({
  paragraphs,
  hasTimes,
  hasSpeakers,
}: Pick<LaidOutTranscript, "hasTimes" | "hasSpeakers"> & {
  readonly paragraphs: readonly Row[];
}): string {
  const header = [
    ...(hasTimes ? ["start", "end"] : []),
    ...(hasSpeakers ? ["speaker"] : []),
    "text",
  ];
  const rows = paragraphs.map(({ startSec, endSec, speaker = "", text }) => [
    ...(hasTimes ? [startSec.toFixed(3), endSec.toFixed(3)] : []),
    ...(hasSpeakers ? [toCell(toOneLine(speaker))] : []),
    toCell(toOneLine(text)),
  ]);
  return `\ufeff${[header, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("")}`;
}

/**
 * Spreadsheets take what begins with one of these signs for a formula, also after spaces and as full-width forms; the
 * apostrophe makes it text (OWASP, CSV injection).
 */
const formulaStart = /^\s*[=+\-@\t\r\u2212\uff0b\uff0d\uff1d\uff20]/u;

const toCell = (text: string): string => {
  const safeText = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n;]|^\s|\s$/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText;
};
