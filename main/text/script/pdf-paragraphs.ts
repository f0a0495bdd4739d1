// Finds where paragraphs begin in the lines of a PDF: by gaps, indents and short last lines. Pure; takes linear time.

import { type PdfLine, roundSize } from "./pdf-lines.ts";

export const endsSentence = (text: string): boolean => /[.!?:…]["'”’»)\]]{0,3}$/.test(text);

/** Ends of a column of text at a line. */
type Column = { left: number; right: number };

export type ParagraphBreaks = {
  startsParagraph(index: number): boolean;
  /** Whether the line ends well before the right end of its column. */
  isShort(index: number): boolean;
};

/** @param lines those of all pages */
export function findBreaks(lines: readonly PdfLine[]): ParagraphBreaks {
  const columns = findColumns(lines);
  const leading = findLeading(lines);
  const isShort = (index: number): boolean => {
    const [line, column] = [lines[index], columns[index]];
    if (line === undefined || column === undefined) return false;
    return line.right < column.right - 0.12 * (column.right - column.left);
  };
  const startsParagraph = (index: number): boolean => {
    const [previous, line, column] = [lines[index - 1], lines[index], columns[index]];
    if (previous === undefined || line === undefined || column === undefined) return true;
    const hasEnded = endsSentence(previous.text);
    const indentPt = line.x - column.left;
    const isIndented = indentPt > 0.8 * line.size && indentPt < 4 * line.size;
    if (line.page !== previous.page || line.y <= previous.y)
      return hasEnded && (isIndented || isShort(index - 1));
    if (line.y - previous.y > 1.3 * leading * line.size) return true;
    if (roundSize(line.size) !== roundSize(previous.size)) return true;
    // Lines of a quotation are all indented.
    const isAligned = Math.abs(line.x - previous.x) < 0.5 * line.size;
    return (isIndented && !isAligned) || (hasEnded && isShort(index - 1));
  };
  return { startsParagraph, isShort };
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
