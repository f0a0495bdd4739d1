// Lines of a PDF's pages from runs of text at positions: what belongs to running heads, page numbers, footnotes and
// rows of a table of contents is left out. Pure; takes linear time.

import { isFootnoteMark } from "./spoken-document-parts.ts";

/** In points, from the top left corner of the page. */
export type PdfTextRun = {
  text: string;
  x: number;
  /** Of the baseline. */
  y: number;
  width: number;
  /** Of the font. */
  size: number;
  isBold: boolean;
};
export type PdfPage = { widthPt: number; heightPt: number; textRuns: readonly PdfTextRun[] };
/** What stands between wide gaps of a line: in most lines all of it. */
export type PdfCell = { text: string; x: number; right: number };
export type PdfLine = {
  text: string;
  cells: readonly PdfCell[];
  x: number;
  right: number;
  y: number;
  size: number;
  /** All of it. */
  isBold: boolean;
  page: number;
};

/** Where running heads and page numbers are, as a part of the page's height. */
const marginPart = 0.13;
/** Pages with the same line at the same place. */
const minHeadPages = 2;
/** Points that a running head may move between pages. */
const headTolerancePt = 3;
/** Lines at the top and at the bottom of a page that may be running heads. */
const maxHeadLines = 3;
/** Between cells, of the size of the font; gaps of justified text may be wider. */
const minCellGap = 0.8;

/** `12`, `- xii -`, `Page 3 of 20`. */
const pageNumberPattern = new RegExp(
  String.raw`^(?:page|seite|página|pagina|p\.|s\.)?\s?[-–—|[(]?\s?(?:\d{1,4}|[ivxlcdm]{1,7})` +
    String.raw`\s?[-–—|\])]?(?:\s?(?:of|von|de|di|sur|/)\s?\d{1,4})?$`,
  "i",
);
const contentsRowPattern = /(?:\.\s?){4,200}\s*\d{1,4}$/;

/** Size of the font that most characters have, in half points. */
export function findBodySize(lines: readonly PdfLine[]): number {
  const charactersBySize = new Map<number, number>();
  for (const { size, text } of lines) {
    const rounded = roundSize(size);
    charactersBySize.set(rounded, (charactersBySize.get(rounded) ?? 0) + text.length);
  }
  return [...charactersBySize].reduce((most, each) => (each[1] > most[1] ? each : most), [0, 0])[0];
}

export const roundSize = (size: number): number => Math.round(size * 2) / 2;

/** In the order of the file, which is that of reading, also with several columns. */
export function toLines(pages: readonly PdfPage[]): PdfLine[] {
  const lines = pages.map(({ textRuns }, page) => joinTextRuns(textRuns, page));
  const all = lines.flat();
  const bodySize = findBodySize(all);
  const isHead = findRunningHeads(pages, lines);
  return pages.flatMap(({ heightPt }, page) => {
    const kept = (lines[page] ?? []).filter(
      (line, _, ofPage) =>
        !isHead(line) &&
        !contentsRowPattern.test(line.text) &&
        !isPageNumber(line, ofPage, heightPt, bodySize),
    );
    return withoutFootnotes(kept, bodySize);
  });
}

function joinTextRuns(textRuns: readonly PdfTextRun[], page: number): PdfLine[] {
  const lines: { cells: OpenCell[]; line: PdfLine }[] = [];
  for (const { text, x, y, width, size, isBold } of textRuns) {
    const current = lines.at(-1);
    const line = current?.line;
    const continues =
      line !== undefined &&
      Math.abs(y - line.y) <= 0.5 * Math.max(size, line.size) &&
      x >= line.right - 2 * size;
    const isBlank = text.trim() === "";
    if (!continues) {
      if (isBlank) continue;
      const right = x + width;
      lines.push({
        cells: [{ parts: [text], x, right }],
        line: { text: "", cells: [], x, right, y, size, isBold, page },
      });
      continue;
    }
    if (current === undefined || text === "") continue;
    const isRaised = size < 0.85 * line.size && y < line.y - 0.1 * line.size;
    const isMark = isRaised && isFootnoteMark(text);
    addToCells(current.cells, { text: isMark ? "" : text, x, right: x + width, size });
    line.right = Math.max(line.right, x + width);
    if (isBlank || isRaised) continue;
    line.size = Math.max(line.size, size);
    line.isBold &&= isBold;
  }
  return lines
    .map(({ cells, line }) => {
      const closed = cells.map(({ parts, ...cell }) => ({ ...cell, text: toOneLine(parts) }));
      return {
        ...line,
        cells: closed,
        text: closed
          .map(({ text }) => text)
          .join(" ")
          .trim(),
      };
    })
    .filter(({ text }) => text !== "");
}

const toOneLine = (parts: readonly string[]): string => parts.join("").replace(/\s+/g, " ").trim();

type OpenCell = { parts: string[]; x: number; right: number };

/** To the last cell, or to a new one after a wide gap. White space has no place in a cell; what is empty has one. */
function addToCells(
  cells: OpenCell[],
  { text, x, right, size }: { text: string; x: number; right: number; size: number },
): void {
  const cell = cells.at(-1);
  if (cell === undefined) return;
  const gapPt = x - cell.right;
  if (text !== "" && text.trim() === "") return void cell.parts.push(text);
  if (text !== "" && gapPt > minCellGap * size) return void cells.push({ parts: [text], x, right });
  if (
    text !== "" &&
    gapPt > 0.2 * size &&
    !/\s$/.test(cell.parts.at(-1) ?? "") &&
    !/^\s/.test(text)
  )
    cell.parts.push(" ");
  cell.parts.push(text);
  cell.right = Math.max(cell.right, right);
}

/** Lines that are on several pages at the same place, whatever their numbers; and others at that height. */
function findRunningHeads(
  pages: readonly PdfPage[],
  lines: readonly (readonly PdfLine[])[],
): (line: PdfLine) => boolean {
  const isInMargin = ({ y, page }: PdfLine): boolean => {
    const heightPt = pages[page]?.heightPt ?? 0;
    return y < marginPart * heightPt || y > (1 - marginPart) * heightPt;
  };
  const placeOf = ({ y, size }: PdfLine): string =>
    `${Math.round(y / headTolerancePt)} ${roundSize(size)}`;
  const keyOf = (line: PdfLine): string =>
    `${placeOf(line)} ${line.text.toLowerCase().replace(/\d+/g, "#")}`;
  const pagesByKey = new Map<string, number>();
  for (const ofPage of lines)
    for (const key of new Set(marginLines(ofPage).filter(isInMargin).map(keyOf)))
      pagesByKey.set(key, (pagesByKey.get(key) ?? 0) + 1);
  const pagesByPlace = new Map<string, number>();
  for (const line of lines.flat())
    if (isInMargin(line) && (pagesByKey.get(keyOf(line)) ?? 0) >= minHeadPages)
      pagesByPlace.set(placeOf(line), (pagesByPlace.get(placeOf(line)) ?? 0) + 1);
  return (line) =>
    isInMargin(line) &&
    ((pagesByKey.get(keyOf(line)) ?? 0) >= minHeadPages ||
      // The head of a chapter of one page, at the height of the others.
      (pagesByPlace.get(placeOf(line)) ?? 0) > lines.length / 2);
}

/** The highest and the lowest lines of a page. */
function marginLines(lines: readonly PdfLine[]): PdfLine[] {
  const sorted = [...lines].sort((a, b) => a.y - b.y);
  return [...new Set([...sorted.slice(0, maxHeadLines), ...sorted.slice(-maxHeadLines)])];
}

function isPageNumber(
  line: PdfLine,
  ofPage: readonly PdfLine[],
  heightPt: number,
  bodySize: number,
): boolean {
  const { text, y, size } = line;
  if (size > 1.15 * bodySize || text.length > 30 || !pageNumberPattern.test(text)) return false;
  if (y >= marginPart * heightPt && y <= (1 - marginPart) * heightPt) return false;
  return (
    ofPage.every((other) => other === line || other.y > y + size) ||
    ofPage.every((other) => other === line || other.y < y - 0.5 * size)
  );
}

/** Lines in a smaller font at the bottom, of which the first starts with the mark of a footnote. */
function withoutFootnotes(lines: readonly PdfLine[], bodySize: number): PdfLine[] {
  const isSmall = ({ size }: PdfLine): boolean => size <= 0.93 * bodySize;
  let start = lines.length;
  while (start > 0 && isSmall(lines[start - 1]!)) start -= 1;
  const first = lines.findIndex(
    ({ text }, index) => index >= start && /^(?:\d{1,3}|[*†‡])[\s.)]?\S/u.test(text),
  );
  const hasBody = start > 0 && first >= 0 && lines[first]!.y > lines[start - 1]!.y;
  return hasBody ? lines.slice(0, first) : [...lines];
}
