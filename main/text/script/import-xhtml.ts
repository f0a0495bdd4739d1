// Converts a chapter of an e-book to a script: headings become `#` lines, other blocks paragraphs. Accepts XHTML that
// is not well-formed; runs nothing, and drops everything that is not text. Pure.

import { readMarkup } from "./read-markup.ts";
import { unlimitedBudget, type CharacterBudget } from "./character-budget.ts";
import { isFootnoteMark, spokenSuperscript, tableToParagraphs } from "./spoken-document-parts.ts";

/** Elements whose end is the end of a paragraph. */
const blockElements = new Set(
  (
    "address article aside blockquote body dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li " +
    "main nav ol p pre section table tr ul"
  ).split(" "),
);
/** Elements that should not be read aloud. */
const skippedElements = new Set(
  "head script style svg math audio video object template rt rp".split(" "),
);
/** That begin or end a cell. */
const tableElements = new Set("table thead tbody tfoot tr td th".split(" "));
const voidElements = new Set(
  "area base br col embed hr img input link meta source track wbr".split(" "),
);

/** A line break within a paragraph; other text does not contain this character. */
const lineBreak = "\u2028";

/** @throws AppError `string_too_long` as soon as the budget is used up */
export function xhtmlToScript(xhtml: string, budget: CharacterBudget = unlimitedBudget()): string {
  const writer = createBlockWriter(budget);
  /** Name of the element being skipped, and its nesting depth within elements of the same name. */
  let skippedElement = "";
  let skippedDepth = 0;
  /** Where the text of an open `sup` or link within the document starts. */
  const markStarts = new Map<string, number>();

  readMarkup(xhtml, {
    open(name, attributes, isSelfClosing) {
      if (skippedElement !== "") {
        if (name === skippedElement && !isSelfClosing) skippedDepth += 1;
      } else if (
        !isSelfClosing &&
        !voidElements.has(name) &&
        (skippedElements.has(name) || isLeftOut(name, attributes))
      ) {
        skippedElement = name;
        skippedDepth = 1;
      } else if (name === "br") writer.breakLine();
      else if (name === "sup" || (name === "a" && attributes.get("href")?.includes("#") === true))
        markStarts.set(name, writer.position());
      else if (isSelfClosing && (name === "td" || name === "th")) writer.table.cell(false);
      else writer.openBlock(name);
    },
    close(name) {
      const markStart = markStarts.get(name);
      if (skippedElement !== "") {
        if (name === skippedElement && --skippedDepth === 0) skippedElement = "";
      } else if (markStart !== undefined) {
        markStarts.delete(name);
        writer.replaceFrom(markStart, name === "sup" ? spokenSuperscript : withoutMark);
      } else writer.closeBlock(name);
    },
    text(text) {
      if (skippedElement === "") writer.text(text);
    },
  });
  return writer.end();
}

/** Text becomes paragraphs, at the ends of blocks; that of a table becomes one per row, when the table ends. */
function createBlockWriter(budget: CharacterBudget) {
  const paragraphs: string[] = [];
  let parts: string[] = [];
  let level = 0;
  let tableDepth = 0;
  let rows: string[][] = [];
  let hasHeader = false;

  const takeText = (): string => {
    const text = parts.join("").replaceAll("\u00ad", "");
    parts = [];
    return text;
  };
  const add = (text: string): void => {
    budget.consume(text.length);
    paragraphs.push(text);
  };
  const endParagraph = (): void => {
    if (tableDepth > 0) return void (parts.length > 0 && parts.push(" "));
    for (const line of takeText().split(lineBreak)) {
      const cleanText = line.replace(/\s+/g, " ").trim();
      // A heading's number and name become one heading.
      if (cleanText !== "") add(level > 0 ? `${"#".repeat(level)} ${cleanText}` : cleanText);
    }
  };
  const table = {
    start(): void {
      endParagraph();
      tableDepth += 1;
    },
    row(): void {
      if (tableDepth === 1) rows.push([]);
    },
    caption(): void {
      const text = takeText().replace(/\s+/g, " ").trim();
      if (text !== "") add(text);
    },
    /** Ends a cell whose end tag is missing. */
    endCell(): void {
      if (tableDepth !== 1) return;
      if (parts.some((part) => part.trim() !== "")) table.cell(false);
      else parts = [];
    },
    /** The text since the last cell. */
    cell(isHeader: boolean): void {
      if (tableDepth === 0) return endParagraph();
      if (tableDepth > 1) return void parts.push(", ");
      if (rows.length === 1 && isHeader) hasHeader = true;
      if (rows.length === 0) rows.push([]);
      rows.at(-1)?.push(takeText().replace(/\s+/g, " ").trim());
    },
    end(): void {
      if (tableDepth > 0) tableDepth -= 1;
      if (tableDepth > 0) return;
      for (const paragraph of tableToParagraphs(rows, hasHeader)) add(paragraph);
      [rows, hasHeader] = [[], false];
      endParagraph();
    },
  };
  return {
    table,
    text: (text: string) => void parts.push(text),
    breakLine: () => void parts.push(level > 0 || tableDepth > 0 ? " " : lineBreak),
    position: () => parts.length,
    /** Replaces the text since a position of the same paragraph. */
    replaceFrom(position: number, replace: (text: string, before: string) => string): void {
      // Nothing, or the paragraph has ended since.
      if (position >= parts.length) return;
      const replacedText = parts.splice(position).join("");
      const before = parts.slice(-4).map((part) => part.slice(-4));
      const text = replace(replacedText, before.join(""));
      if (text !== "") parts.push(text);
    },
    openBlock(name: string): void {
      if (name === "table") return table.start();
      if (tableElements.has(name)) table.endCell();
      if (name === "tr") return table.row();
      if (tableElements.has(name) || !blockElements.has(name)) return;
      endParagraph();
      if (/^h[1-6]$/.test(name)) level = Number(name[1]);
      if (name === "hr" && tableDepth === 0) add("* * *");
    },
    closeBlock(name: string): void {
      if (name === "td" || name === "th") return table.cell(name === "th");
      if (name === "caption" && tableDepth === 1) return table.caption();
      if (tableElements.has(name)) table.endCell();
      if (name === "table") return table.end();
      if (tableElements.has(name) || !blockElements.has(name)) return;
      endParagraph();
      if (/^h[1-6]$/.test(name)) level = 0;
    },
    end(): string {
      if (tableDepth > 0) {
        tableDepth = 1;
        table.endCell();
        table.end();
      }
      endParagraph();
      return paragraphs.join("\n\n");
    },
  };
}

/** The text of a link within the document: without it, if it is the mark of a footnote right after a word. */
const withoutMark = (text: string, before: string): string =>
  isFootnoteMark(text) && (/\S$/.test(before) || /^\s*[[*†‡]/.test(text)) ? "" : text;

/** Marks of footnotes, the footnotes themselves, and page numbers. */
function isLeftOut(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const types = `${attributes.get("epub:type") ?? ""} ${attributes.get("type") ?? ""} ${attributes.get("role") ?? ""}`;
  return (
    /\b(?:noteref|pagebreak|(?:foot|rear|end)notes?)\b/i.test(types) ||
    (name === "a" && /\bbacklink\b/i.test(types))
  );
}
