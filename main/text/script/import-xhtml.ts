// A chapter of an electronic book as script: headings become `#` lines, other blocks paragraphs. XHTML is read as it
// comes, well formed or not: nothing of it is run, and what is no text is left out. Pure.

import { readMarkup } from "./read-markup.ts";
import { unlimited, type CharacterBudget } from "./character-budget.ts";

/** Their ends are ends of paragraphs. */
const blocks = new Set(
  "address article aside blockquote body dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul".split(
    " ",
  ),
);
/** Nobody wants them read out. */
const unread = new Set("head script style svg math audio video object template rt rp".split(" "));
const empty = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

/** A line break within a paragraph; no text has it otherwise. */
const lineBreak = "\u2028";

/** @throws AppError `string_too_long` as soon as the budget is used up */
export function scriptOfXhtml(xhtml: string, budget: CharacterBudget = unlimited()): string {
  const paragraphs: string[] = [];
  let pieces: string[] = [];
  let level = 0;
  /** Name of the element that is passed over, and how deep in elements of its name. */
  let skipped = "";
  let depth = 0;

  const end = (): void => {
    for (const line of pieces.join("").split(lineBreak)) {
      const plain = line.replaceAll("\u00ad", "").replace(/\s+/g, " ").trim();
      if (plain === "") continue;
      budget.take(plain.length);
      // A heading's number and name are one heading.
      paragraphs.push(level > 0 ? `${"#".repeat(level)} ${plain}` : plain);
    }
    pieces = [];
  };
  const breakBlock = (name: string, isClosing: boolean): void => {
    if (name === "td" || name === "th") {
      if (isClosing) pieces.push(", ");
      return;
    }
    if (!blocks.has(name)) return;
    end();
    if (/^h[1-6]$/.test(name)) level = isClosing ? 0 : Number(name[1]);
    if (name === "hr") paragraphs.push("* * *");
  };

  readMarkup(xhtml, {
    open(name, attributes, isSelfClosing) {
      if (skipped !== "") {
        if (name === skipped && !isSelfClosing) depth += 1;
      } else if (
        !isSelfClosing &&
        !empty.has(name) &&
        (unread.has(name) || isNoteMark(name, attributes))
      ) {
        skipped = name;
        depth = 1;
      } else if (name === "br") pieces.push(level > 0 ? " " : lineBreak);
      else breakBlock(name, isSelfClosing && name !== "td" && name !== "th");
    },
    close(name) {
      if (skipped === "") breakBlock(name, true);
      else if (name === skipped && --depth === 0) skipped = "";
    },
    text(text) {
      if (skipped === "") pieces.push(text);
    },
  });
  end();
  return paragraphs.join("\n\n");
}

/** The small number that leads to a footnote, and page numbers. */
function isNoteMark(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const types = `${attributes.get("epub:type") ?? ""} ${attributes.get("type") ?? ""}`;
  return (
    /\b(?:noteref|pagebreak)\b/i.test(types) ||
    (name === "a" && attributes.get("role")?.toLowerCase() === "doc-noteref")
  );
}
