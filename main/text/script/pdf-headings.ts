// Finds headings in the lines of a PDF: by a larger font, by bookmarks, by words such as "Chapter", or in bold. Pure;
// takes linear time.

import { findBodySize, type PdfLine, roundSize } from "./pdf-lines.ts";
import { endsSentence, type ParagraphBreaks } from "./pdf-paragraphs.ts";

/** Title → depth from 0, of the bookmarks. */
export type PdfOutline = ReadonlyMap<string, number>;

export const maxHeadingCharacters = 150;
/** Of the size of the body, from which a line may be a heading. */
const minHeadingSize = 1.12;
const maxHeadingLevel = 3;
const chapterPattern =
  /^(?:chapter|part|book|kapitel|teil|buch|chapitre|partie|capítulo|parte|capitolo)\s+(?:\d{1,3}|[ivxlc]{1,7})\b/i;
/** What is in bold and alone, but no heading: points of lists, and what stands below pictures and above tables. */
const labelPattern =
  /^(?:[•‣◦▪–—*-]|(?:fig(?:ure|ura)?|abb(?:ildung)?|tab(?:le|elle|leau|la|ella|ela)?)\b\.?\s*\d)/i;
const maxBoldCharacters = 80;
const maxBoldLines = 2;
/** Of a document's characters: where more is bold, it is not for headings alone. */
const maxBoldShare = 0.3;

/** As titles of bookmarks and lines are compared. */
export const outlineKey = (title: string): string =>
  title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** Of two lines that are headings of the same level. */
export const continuesHeading = (previous: PdfLine, line: PdfLine): boolean =>
  previous.page === line.page &&
  roundSize(previous.size) === roundSize(line.size) &&
  line.y > previous.y &&
  line.y - previous.y < 1.8 * line.size;

/** @returns the level of each line; 0: no heading */
export function headingLevels(
  lines: readonly PdfLine[],
  outline: PdfOutline,
  breaks: ParagraphBreaks,
): number[] {
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
  const namedLevel = Math.min(1 + sizes.length, maxHeadingLevel);
  const hasNamed = lines.some((line) => !isLarge(line) && isNamed(line));
  const boldLevel = Math.min(namedLevel + (hasNamed ? 1 : 0), maxHeadingLevel);
  const isBold = findBoldHeadings(lines, bodySize, breaks);
  return lines.map((line) => {
    if (isLarge(line)) return Math.min(1 + sizes.indexOf(roundSize(line.size)), maxHeadingLevel);
    if (isNamed(line)) return namedLevel;
    return isBold.has(line) ? boldLevel : 0;
  });
}

const countCharacters = (some: readonly PdfLine[]): number =>
  some.reduce((sum, { text }) => sum + text.length, 0);

/** Short lines in bold that stand alone, with a text that is there once. */
function findBoldHeadings(
  lines: readonly PdfLine[],
  bodySize: number,
  breaks: ParagraphBreaks,
): ReadonlySet<PdfLine> {
  const bold = lines.filter(({ isBold }) => isBold);
  if (countCharacters(bold) > maxBoldShare * countCharacters(lines)) return new Set();
  const counts = new Map<string, number>();
  for (const { text } of bold) counts.set(text, (counts.get(text) ?? 0) + 1);
  const headings = new Set<PdfLine>();
  for (let start = 0; start < lines.length;) {
    let end = start + 1;
    while (isBoldRun(lines[end - 1], lines[end])) end += 1;
    const run = lines.slice(start, end);
    const text = run.map((line) => line.text).join(" ");
    const isTitle =
      run.every(
        (line) => line.isBold && Math.abs(line.size - bodySize) < 1 && counts.get(line.text) === 1,
      ) &&
      run.length <= maxBoldLines &&
      text.length <= maxBoldCharacters &&
      /\p{L}\p{L}/u.test(text) &&
      !/[.,;:!?…]$/.test(text) &&
      !labelPattern.test(text);
    if (isTitle && standsAlone(lines, start, end, breaks))
      for (const line of run) headings.add(line);
    start = end;
  }
  return headings;
}

const isBoldRun = (previous: PdfLine | undefined, line: PdfLine | undefined): boolean =>
  previous !== undefined &&
  line !== undefined &&
  previous.isBold &&
  line.isBold &&
  continuesHeading(previous, line);

const isApart = (one: PdfLine, other: PdfLine): boolean => Math.abs(one.x - other.x) > 4 * one.size;

/** Neither does the paragraph before go on in it, nor does it go on in the text that follows. */
function standsAlone(
  lines: readonly PdfLine[],
  start: number,
  end: number,
  { startsParagraph, isShort }: ParagraphBreaks,
): boolean {
  const [before, first, last, after] = [start - 1, start, end - 1, end].map(
    (index) => lines[index],
  );
  if (first === undefined || last === undefined || after === undefined) return false;
  return (
    (before === undefined ||
      startsParagraph(start) ||
      endsSentence(before.text) ||
      isApart(before, first)) &&
    (startsParagraph(end) || isShort(end - 1) || isApart(last, after))
  );
}
