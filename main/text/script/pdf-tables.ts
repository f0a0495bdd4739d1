// Tables of a PDF, where the layout is clear: rows of one line each, with short cells and common gaps between them.
// Pure; takes linear time.

import { type PdfLine, roundSize } from "./pdf-lines.ts";
import { tableToParagraphs } from "./spoken-document-parts.ts";

const minRows = 3;
/** In sizes of the font, from line to line. */
const maxRowDistance = 3;
/** Between columns, in sizes of the font. */
const minGutter = 0.5;
/** Columns of running text have longer lines. */
const maxMeanCellCharacters = 30;
const listMarkPattern = /^(?:[•‣◦▪–—*-]|\(?(?:\d{1,3}|[a-z]|[ivxl]{1,5})[.)])$/i;

/**
 * @returns the lines outside of tables, and the paragraphs that tables become, by the index of the line that follows
 */
export function takeTables(all: readonly PdfLine[]): {
  lines: PdfLine[];
  tables: ReadonlyMap<number, readonly string[]>;
} {
  const lines: PdfLine[] = [];
  const tables = new Map<number, string[]>();
  for (let start = 0; start < all.length;) {
    const rows = rowsFrom(all, start);
    if (isTable(rows))
      tables.set(lines.length, [...(tables.get(lines.length) ?? []), ...readTable(rows)]);
    else lines.push(...rows);
    start += rows.length;
  }
  return { lines, tables };
}

/** Successive lines with as many cells as the first, which no gap between columns divides. */
function rowsFrom(lines: readonly PdfLine[], start: number): PdfLine[] {
  const rows = lines.slice(start, start + 1);
  let columns = rows[0]?.cells.map(({ x, right }) => ({ x, right })) ?? [];
  for (let index = start + 1; columns.length > 1 && index < lines.length; index += 1) {
    const [previous, line] = [lines[index - 1]!, lines[index]!];
    const wider = columns.map(({ x, right }, column) => ({
      x: Math.min(x, line.cells[column]?.x ?? Infinity),
      right: Math.max(right, line.cells[column]?.right ?? -Infinity),
    }));
    const isRow =
      line.cells.length === columns.length &&
      line.page === previous.page &&
      roundSize(line.size) === roundSize(previous.size) &&
      line.y > previous.y &&
      line.y - previous.y <= maxRowDistance * line.size &&
      wider.every(
        ({ x }, column) => x - (wider[column - 1]?.right ?? -Infinity) > minGutter * line.size,
      );
    if (!isRow) break;
    rows.push(line);
    columns = wider;
  }
  return rows;
}

function isTable(rows: readonly PdfLine[]): boolean {
  const cells = rows.flatMap((row) => row.cells);
  const characters = cells.reduce((sum, { text }) => sum + text.length, 0);
  const isList = rows.every(({ cells: [first] }) => listMarkPattern.test(first?.text ?? ""));
  return rows.length >= minRows && characters <= maxMeanCellCharacters * cells.length && !isList;
}

/** A first row in bold has the names of the columns. */
const readTable = (rows: readonly PdfLine[]): string[] =>
  tableToParagraphs(
    rows.map(({ cells }) => cells.map(({ text }) => text)),
    rows.findIndex(({ isBold }) => !isBold) === 1,
  );
