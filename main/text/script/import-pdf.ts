// Converts the pages of a PDF to a script: lines become paragraphs and headings, and words divided at line ends are
// joined. Pure; takes linear time.

import { type CharacterBudget, unlimitedBudget } from "./character-budget.ts";
import {
  continuesHeading,
  headingLevels,
  maxHeadingCharacters,
  type PdfOutline,
} from "./pdf-headings.ts";
import { type PdfLine, type PdfPage, toLines } from "./pdf-lines.ts";
import { findBreaks } from "./pdf-paragraphs.ts";
import { takeTables } from "./pdf-tables.ts";

/** @throws AppError `string_too_long` as soon as the budget is used up */
export function pdfToScript(
  pages: readonly PdfPage[],
  outline: PdfOutline = new Map(),
  budget: CharacterBudget = unlimitedBudget(),
): string {
  const { lines, tables } = takeTables(toLines(pages));
  const breaks = findBreaks(lines);
  const levels = headingLevels(lines, outline, breaks);
  const join = lineJoiner(lines);
  const blocks: { level: number; text: string[] }[] = [];
  const addTable = (index: number): void => {
    for (const text of tables.get(index) ?? []) {
      blocks.push({ level: 0, text: [text] });
      budget.consume(text.length);
    }
  };
  for (const [index, line] of lines.entries()) {
    addTable(index);
    const previous = lines[index - 1];
    const block = blocks.at(-1);
    const level = levels[index] ?? 0;
    const continues =
      block !== undefined &&
      previous !== undefined &&
      !tables.has(index) &&
      block.level === level &&
      (level > 0 ? continuesHeading(previous, line) : !breaks.startsParagraph(index));
    if (continues) block.text.push(line.text);
    else blocks.push({ level, text: [line.text] });
    budget.consume(line.text.length);
  }
  addTable(lines.length);
  return blocks
    .map(({ level, text }) => {
      const joined = join(text);
      return level > 0 && joined.length <= maxHeadingCharacters
        ? `${"#".repeat(level)} ${joined}`
        : joined;
    })
    .join("\n\n");
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
