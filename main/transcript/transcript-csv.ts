// A transcript as a table (RFC 4180), with a byte order mark, without which spreadsheets guess the encoding. Pure.

import { toOneLine } from "./paragraph-heading.ts";
import type { LaidOutTranscript } from "./paragraphs.ts";

/** Columns `start`, `end` (seconds), `speaker` and `text`, as far as they are wanted. */
export function toCsv({ paragraphs, hasTimes, hasSpeakers }: LaidOutTranscript): string {
  const header = [
    ...(hasTimes ? ["start", "end"] : []),
    ...(hasSpeakers ? ["speaker"] : []),
    "text",
  ];
  const rows = paragraphs.map(({ startSec, endSec, speaker = "", text }) => [
    ...(hasTimes ? [startSec.toFixed(3), endSec.toFixed(3)] : []),
    ...(hasSpeakers ? [toCell(toOneLine(speaker))] : []),
    toCell(text),
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
