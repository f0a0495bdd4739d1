// Converts the pages of a PDF to a script: lines become paragraphs, words divided at line ends are joined, and lines in
// a larger font become headings. Pure; takes linear time.

import { type CharacterBudget, unlimitedBudget } from "./character-budget.ts";
import { findBodySize, type PdfLine, type PdfPage, roundSize, toLines } from "./pdf-lines.ts";

/** Title → depth from 0, of the bookmarks. */
export type PdfOutline = ReadonlyMap<string, number>;

const maxHeadingCharacters = 150;
/** Of the size of the body, from which a line may be a heading. */
const minHeadingSize = 1.12;
const maxHeadingLevel = 3;
const sentenceEndPattern = /[.!?:…]["'”’»)\]]{0,3}$/;
const chapterPattern =
  /^(?:chapter|part|book|kapitel|teil|buch|chapitre|partie|capítulo|parte|capitolo)\s+(?:\d{1,3}|[ivxlc]{1,7})\b/i;

/** As titles of bookmarks and lines are compared. */
export const outlineKey = (title: string): string =>
  title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** @throws AppError `string_too_long` as soon as the budget is used up */
export function pdfToScript(
  pages: readonly PdfPage[],
  outline: PdfOutline = new Map(),
  budget: CharacterBudget = unlimitedBudget(),
): string {
  const lines = toLines(pages);
  const levelOf = headingLevels(lines, outline);
  const join = lineJoiner(lines);
  const startsParagraph = paragraphStarts(lines);
  const blocks: { level: number; text: string[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const previous = lines[index - 1];
    const block = blocks.at(-1);
    const level = levelOf(line);
    const continues =
      block !== undefined &&
      previous !== undefined &&
      block.level === level &&
      (level > 0 ? continuesHeading(previous, line) : !startsParagraph(index));
    if (continues) block.text.push(line.text);
    else blocks.push({ level, text: [line.text] });
    budget.consume(line.text.length);
  }
  return blocks
    .map(({ level, text }) => {
      const joined = join(text);
      return level > 0 && joined.length <= maxHeadingCharacters
        ? `${"#".repeat(level)} ${joined}`
        : joined;
    })
    .join("\n\n");
}

const continuesHeading = (previous: PdfLine, line: PdfLine): boolean =>
  previous.page === line.page &&
  roundSize(previous.size) === roundSize(line.size) &&
  line.y > previous.y &&
  line.y - previous.y < 1.8 * line.size;

/** 0: no heading. */
function headingLevels(lines: readonly PdfLine[], outline: PdfOutline): (line: PdfLine) => number {
  const bodySize = findBodySize(lines);
  const isLarge = ({ size, text }: PdfLine): boolean =>
    roundSize(size) >= minHeadingSize * bodySize &&
    text.length <= maxHeadingCharacters &&
    /\p{L}\p{L}|\d/u.test(text);
  const sizes = [...new Set(lines.filter(isLarge).map(({ size }) => roundSize(size)))].sort(
    (a, b) => b - a,
  );
  // Bookmarks say which line is a heading, and the size how high it is.
  const isNamed = ({ text, size }: PdfLine): boolean =>
    size >= bodySize &&
    (outline.has(outlineKey(text)) || (chapterPattern.test(text) && text.length <= 60));
  return (line) => {
    if (isLarge(line)) return Math.min(1 + sizes.indexOf(roundSize(line.size)), maxHeadingLevel);
    return isNamed(line) ? Math.min(1 + sizes.length, maxHeadingLevel) : 0;
  };
}

/** Ends of a column of text at a line. */
type Column = { left: number; right: number };

function paragraphStarts(lines: readonly PdfLine[]): (index: number) => boolean {
  const columns = findColumns(lines);
  const leading = findLeading(lines);
  return (index) => {
    const [previous, line] = [lines[index - 1], lines[index]];
    const [previousColumn, column] = [columns[index - 1], columns[index]];
    if (previous === undefined || line === undefined) return true;
    if (previousColumn === undefined || column === undefined) return true;
    const hasEnded = sentenceEndPattern.test(previous.text);
    const widthPt = previousColumn.right - previousColumn.left;
    const isShort = previous.right < previousColumn.right - 0.12 * widthPt;
    const indentPt = line.x - column.left;
    const isIndented = indentPt > 0.8 * line.size && indentPt < 4 * line.size;
    if (line.page !== previous.page || line.y <= previous.y)
      return hasEnded && (isIndented || isShort);
    if (line.y - previous.y > 1.3 * leading * line.size) return true;
    if (roundSize(line.size) !== roundSize(previous.size)) return true;
    // Lines of a quotation are all indented.
    const isAligned = Math.abs(line.x - previous.x) < 0.5 * line.size;
    return (isIndented && !isAligned) || (hasEnded && isShort);
  };
}

/** By the inch: finer, an indented line would be a column of its own. Two, for lines on both sides of a limit. */
const columnKeys = (x: number): number[] => [Math.floor(x / 72), Math.round(x / 72) - 0.5];

/** Of the lines of the same page that start near it. */
function findColumns(lines: readonly PdfLine[]): Column[] {
  const columns: Column[] = [];
  for (let start = 0; start < lines.length;) {
    let end = start;
    while (lines[end]?.page === lines[start]?.page && end < lines.length) end += 1;
    const byLeft = new Map<number, Column>();
    for (const { x, right } of lines.slice(start, end))
      for (const key of new Set(columnKeys(x))) {
        const column = byLeft.get(key);
        if (column === undefined) byLeft.set(key, { left: x, right });
        else
          [column.left, column.right] = [Math.min(column.left, x), Math.max(column.right, right)];
      }
    for (const { x } of lines.slice(start, end)) {
      const found = columnKeys(x).flatMap((key) => byLeft.get(key) ?? []);
      columns.push({
        left: Math.min(...found.map(({ left }) => left)),
        right: Math.max(...found.map(({ right }) => right)),
      });
    }
    start = end;
  }
  return columns;
}

/** The most frequent distance of two lines, in sizes of the font. */
function findLeading(lines: readonly PdfLine[]): number {
  const counts = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const previous = lines[index - 1];
    if (previous?.page !== line.page) continue;
    const leading = Math.round(((line.y - previous.y) / line.size) * 20) / 20;
    if (leading > 0.5 && leading < 3) counts.set(leading, (counts.get(leading) ?? 0) + 1);
  }
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), [1.2, 0])[0];
}

const dividedPattern = /(\p{L}+)[-\u2010\u00ad]$/u;

/** Joins lines of a paragraph. A hyphen at the end of a line goes unless it belongs to the word. */
function lineJoiner(lines: readonly PdfLine[]): (texts: readonly string[]) => string {
  const words = new Set<string>();
  for (const { text } of lines)
    for (const [word] of text
      .replace(dividedPattern, "")
      .toLowerCase()
      .matchAll(/\p{L}+(?:-\p{L}+)*/gu))
      words.add(word);
  return (texts) => {
    const parts: string[] = [];
    for (const [index, text] of texts.entries()) {
      const next = texts[index + 1];
      if (next === undefined) {
        parts.push(text);
        continue;
      }
      const [, before] = dividedPattern.exec(text) ?? [];
      const [after] = /^\p{L}+/u.exec(next) ?? [];
      if (before === undefined || after === undefined || text.length < 2)
        parts.push(
          text,
          /[-\u2010—]$/.test(text) && /\p{L}|\d/u.test(text.at(-2) ?? "") ? "" : " ",
        );
      else if (/^\p{Ll}/u.test(after) && !isCompound(before, after)) parts.push(text.slice(0, -1));
      else parts.push(text);
    }
    return parts.join("").replaceAll("\u00ad", "").replace(/\s+/g, " ").trim();
  };

  /** "well-known", also where only its halves are words of the document; "inspi-ration" is not. */
  function isCompound(before: string, after: string): boolean {
    const [start, end] = [before.toLowerCase(), after.toLowerCase()];
    if (words.has(start + end)) return false;
    return words.has(`${start}-${end}`) || (words.has(start) && words.has(end));
  }
}
