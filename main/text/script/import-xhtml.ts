// Converts a chapter of an e-book to a script: headings become `#` lines, other blocks paragraphs. Accepts XHTML that
// is not well-formed; runs nothing, and drops everything that is not text. Pure.

import { readMarkup } from "./read-markup.ts";
import { unlimitedBudget, type CharacterBudget } from "./character-budget.ts";

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
const voidElements = new Set(
  "area base br col embed hr img input link meta source track wbr".split(" "),
);

/** A line break within a paragraph; other text does not contain this character. */
const lineBreak = "\u2028";

/** @throws AppError `string_too_long` as soon as the budget is used up */
export function xhtmlToScript(xhtml: string, budget: CharacterBudget = unlimitedBudget()): string {
  const paragraphs: string[] = [];
  let parts: string[] = [];
  let level = 0;
  /** Name of the element being skipped, and its nesting depth within elements of the same name. */
  let skippedElement = "";
  let skippedDepth = 0;

  const endParagraph = (): void => {
    for (const line of parts.join("").split(lineBreak)) {
      const cleanText = line.replaceAll("\u00ad", "").replace(/\s+/g, " ").trim();
      if (cleanText === "") continue;
      budget.consume(cleanText.length);
      // A heading's number and name become one heading.
      paragraphs.push(level > 0 ? `${"#".repeat(level)} ${cleanText}` : cleanText);
    }
    parts = [];
  };
  const handleBlockBoundary = (name: string, isClosing: boolean): void => {
    if (name === "td" || name === "th") {
      if (isClosing) parts.push(", ");
      return;
    }
    if (!blockElements.has(name)) return;
    endParagraph();
    if (/^h[1-6]$/.test(name)) level = isClosing ? 0 : Number(name[1]);
    if (name === "hr") paragraphs.push("* * *");
  };

  readMarkup(xhtml, {
    open(name, attributes, isSelfClosing) {
      if (skippedElement !== "") {
        if (name === skippedElement && !isSelfClosing) skippedDepth += 1;
      } else if (
        !isSelfClosing &&
        !voidElements.has(name) &&
        (skippedElements.has(name) || isFootnoteReference(name, attributes))
      ) {
        skippedElement = name;
        skippedDepth = 1;
      } else if (name === "br") parts.push(level > 0 ? " " : lineBreak);
      else handleBlockBoundary(name, isSelfClosing && name !== "td" && name !== "th");
    },
    close(name) {
      if (skippedElement === "") handleBlockBoundary(name, true);
      else if (name === skippedElement && --skippedDepth === 0) skippedElement = "";
    },
    text(text) {
      if (skippedElement === "") parts.push(text);
    },
  });
  endParagraph();
  return paragraphs.join("\n\n");
}

/** Footnote reference numbers and page numbers. */
function isFootnoteReference(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const types = `${attributes.get("epub:type") ?? ""} ${attributes.get("type") ?? ""}`;
  return (
    /\b(?:noteref|pagebreak)\b/i.test(types) ||
    (name === "a" && attributes.get("role")?.toLowerCase() === "doc-noteref")
  );
}
