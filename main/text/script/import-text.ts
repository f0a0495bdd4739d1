// Texts that people bring, as scripts: plain text as it is, subtitles joined into paragraphs. See
// import-markdown.ts for Markdown and import-xhtml.ts for chapters of books. Pure; time is linear in the text's length.

import { decodeHTMLStrict } from "entities";
import { type CharacterBudget, unlimited } from "./character-budget.ts";

export type ImportedScript = { title: string; author: string; script: string };

/** UTF-8, UTF-16 with its mark, else Windows-1252, in which every byte is a character. */
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

export const scriptOfText = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

/** Silence between two cues that ends a paragraph. */
const paragraphGapSec = 2;
const cueTimes =
  /^[ \t]*(?:(\d{1,9}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})[ \t]*-->[ \t]*(?:(\d{1,9}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})/;
/** As much of a cue's end as tells whether a sentence ends there. */
const endLength = 20;

/**
 * Of SubRip or WebVTT: the texts of the cues, one after the other.
 * @throws AppError `string_too_long` as soon as the budget is used up
 */
export function scriptOfSubtitles(
  subtitles: string,
  budget: CharacterBudget = unlimited(),
): string {
  const pieces: string[] = [];
  let endedSec = 0;
  for (const block of scriptOfText(subtitles).split(/\n[ \t]*\n/)) {
    const lines = block.split("\n");
    const at = lines.findIndex((line) => cueTimes.test(line));
    const [startSec, endSec] = secondsOf(lines[at] ?? "");
    if (startSec === undefined || endSec === undefined) continue;
    const text = lines
      .slice(at + 1)
      .map(cueLine)
      .filter(Boolean)
      .join(" ");
    if (text === "") continue;
    const before = pieces.at(-1)?.slice(-endLength);
    const isNew =
      startSec - endedSec > paragraphGapSec &&
      before !== undefined &&
      /[.!?…]["'”’)]*$/.test(before);
    if (before !== undefined) pieces.push(isNew ? "\n\n" : " ");
    budget.take(text.length + 1);
    pieces.push(text);
    endedSec = endSec;
  }
  return pieces.join("");
}

/** Without tags, without where it stands, without the dash of a speaker. */
const cueLine = (line: string): string =>
  decodeHTMLStrict(without(without(line, "<", ">"), "{\\", "}"))
    .replace(/^[ \t]*[-–—][ \t]+/, "")
    .trim();

/** Leaves out what stands between the two. A pattern would look for each missing end anew. */
function without(line: string, start: string, end: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const open = line.indexOf(start, from);
    const close = open < 0 ? -1 : line.indexOf(end, open);
    if (close < 0) break;
    kept.push(line.slice(from, open));
    from = close + end.length;
  }
  kept.push(line.slice(from));
  return kept.join("");
}

function secondsOf(line: string): (number | undefined)[] {
  const [, ...parts] = cueTimes.exec(line) ?? [];
  if (parts.length === 0) return [];
  return [parts.slice(0, 4), parts.slice(4)].map(
    ([hours = "0", minutes = "0", seconds = "0", rest = "0"]) =>
      Number(hours) * 3600 +
      Number(minutes) * 60 +
      Number(seconds) +
      Number(rest.padEnd(3, "0")) / 1000,
  );
}
