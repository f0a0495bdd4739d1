// Converts users' texts to scripts: plain text unchanged, subtitles joined into paragraphs. See import-markdown.ts for
// Markdown and import-xhtml.ts for chapters of e-books. Pure; takes linear time.

import { decodeHTMLStrict } from "entities";
import { type CharacterBudget, unlimitedBudget } from "./character-budget.ts";

export type ImportedScript = { title: string; author: string; script: string };

/** UTF-8, UTF-16 with a byte order mark, otherwise Windows-1252, in which every byte is valid. */
export function decodeText(bytes: Uint8Array): string {
  const isUtf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

export const textToScript = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

/** Silence between two cues that ends a paragraph. */
const paragraphGapSec = 2;
const cueTimesPattern =
  /^[ \t]*(?:(\d{1,9}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})[ \t]*-->[ \t]*(?:(\d{1,9}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})/;
/** Characters at the end of a cue that are enough to detect the end of a sentence. */
const endingLength = 20;

/**
 * The texts of the cues of SubRip or WebVTT, joined.
 * @throws AppError `string_too_long` as soon as the budget is used up
 */
export function subtitlesToScript(
  subtitles: string,
  budget: CharacterBudget = unlimitedBudget(),
): string {
  const parts: string[] = [];
  let previousEndSec = 0;
  for (const block of textToScript(subtitles).split(/\n[ \t]*\n/)) {
    const lines = block.split("\n");
    const timesIndex = lines.findIndex((line) => cueTimesPattern.test(line));
    const [startSec, endSec] = parseCueTimes(lines[timesIndex] ?? "");
    if (startSec === undefined || endSec === undefined) continue;
    const text = lines
      .slice(timesIndex + 1)
      .map(cleanCueLine)
      .filter(Boolean)
      .join(" ");
    if (text === "") continue;
    const previousEnding = parts.at(-1)?.slice(-endingLength);
    const isNewParagraph =
      startSec - previousEndSec > paragraphGapSec &&
      previousEnding !== undefined &&
      /[.!?…]["'”’)]*$/.test(previousEnding);
    if (previousEnding !== undefined) parts.push(isNewParagraph ? "\n\n" : " ");
    budget.consume(text.length + 1);
    parts.push(text);
    previousEndSec = endSec;
  }
  return parts.join("");
}

/** Removes tags, position settings, and the dash of a speaker. */
const cleanCueLine = (line: string): string =>
  decodeHTMLStrict(removeBetween(removeBetween(line, "<", ">"), "{\\", "}"))
    .replace(/^[ \t]*[-–—][ \t]+/, "")
    .trim();

/**
 * Removes text between the two markers. A regular expression would search for a missing end marker again from every
 * start.
 */
function removeBetween(line: string, start: string, end: string): string {
  const keptParts: string[] = [];
  let from = 0;
  for (;;) {
    const open = line.indexOf(start, from);
    const close = open < 0 ? -1 : line.indexOf(end, open);
    if (close < 0) break;
    keptParts.push(line.slice(from, open));
    from = close + end.length;
  }
  keptParts.push(line.slice(from));
  return keptParts.join("");
}

function parseCueTimes(line: string): (number | undefined)[] {
  const [, ...parts] = cueTimesPattern.exec(line) ?? [];
  if (parts.length === 0) return [];
  return [parts.slice(0, 4), parts.slice(4)].map(
    ([hours = "0", minutes = "0", seconds = "0", fraction = "0"]) =>
      Number(hours) * 3600 +
      Number(minutes) * 60 +
      Number(seconds) +
      Number(fraction.padEnd(3, "0")) / 1000,
  );
}
