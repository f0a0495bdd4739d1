// Converts the parts of a Word document (.docx, Office Open XML) to a script: headings by their style or outline level,
// tables as sentences; without tables of contents, footnotes, deleted and hidden text. Pure; takes linear time.

import { type CharacterBudget, unlimitedBudget } from "./character-budget.ts";
import { readMarkup } from "./read-markup.ts";
import { spokenSuperscript, tableToParagraphs } from "./spoken-document-parts.ts";

/** What a style says about the paragraphs that have it. */
type WordStyle = { name: string; basedOn: string; outlineLevel: number | undefined };
/** By id. */
export type WordStyles = ReadonlyMap<string, WordStyle>;

/** More in a row are a loop. */
const maxStyleDepth = 20;
/** Deleted and moved text, instructions of fields, and what is shown only by programs that cannot show a drawing. */
const skippedElements = new Set(["del", "movefrom", "instrtext", "fallback", "sdtpr", "drawing"]);

/** The value of an attribute with any namespace prefix. */
function attributeOf(attributes: ReadonlyMap<string, string>, name: string): string {
  for (const [key, value] of attributes) if (key.slice(key.indexOf(":") + 1) === name) return value;
  return "";
}

/** In `<w:b/>` and `<w:b w:val="0"/>`. */
const isOn = (attributes: ReadonlyMap<string, string>): boolean =>
  !["0", "false", "off", "none"].includes(attributeOf(attributes, "val"));

function parseOutlineLevel(attributes: ReadonlyMap<string, string>): number | undefined {
  const level = Number.parseInt(attributeOf(attributes, "val"), 10);
  return level >= 0 && level <= 8 ? level : undefined;
}

/** @param xml `word/styles.xml` */
export function parseWordStyles(xml: string): WordStyles {
  const styles = new Map<string, WordStyle>();
  let style: WordStyle | undefined;
  readMarkup(xml, {
    open(name, attributes) {
      if (name === "style") {
        style = { name: "", basedOn: "", outlineLevel: undefined };
        styles.set(attributeOf(attributes, "styleid"), style);
      } else if (style === undefined) return;
      else if (name === "name") style.name = attributeOf(attributes, "val").toLowerCase();
      else if (name === "basedon") style.basedOn = attributeOf(attributes, "val");
      else if (name === "outlinelvl") style.outlineLevel = parseOutlineLevel(attributes);
    },
    close: (name) => void (name === "style" && (style = undefined)),
    text() {},
  });
  return styles;
}

function describeStyle(styles: WordStyles, id: string) {
  let headingLevel: number | undefined;
  let isContents = false;
  let isTitle = false;
  let style = styles.get(id);
  for (let depth = 0; style !== undefined && depth < maxStyleDepth; depth++) {
    const { name, outlineLevel } = style;
    const [, digit] = /^heading ([1-9])$/.exec(name) ?? [];
    headingLevel ??= outlineLevel ?? (digit === undefined ? undefined : Number(digit) - 1);
    isContents ||= /^(?:toc (?:\d|heading)|table of figures)$/.test(name);
    isTitle ||= name === "title";
    style = styles.get(style.basedOn);
  }
  return { headingLevel, isContents, isTitle };
}

/** Title and author of `docProps/core.xml`. */
export function parseWordProperties(xml: string): { title: string; author: string } {
  const found = { title: "", creator: "" };
  let open = "";
  readMarkup(xml, {
    open: (name) => void (open = name),
    close: () => void (open = ""),
    text(text) {
      if (open === "title" || open === "creator") found[open] += text;
    },
  });
  return { title: found.title.trim(), author: found.creator.trim() };
}

/**
 * @param xml `word/document.xml`
 * @returns `title` is that of the first paragraph whose style is for titles
 * @throws AppError `string_too_long` as soon as the budget is used up
 */
export function wordToScript(
  xml: string,
  styles: WordStyles,
  budget: CharacterBudget = unlimitedBudget(),
): { title: string; script: string } {
  const writer = createWordWriter(styles, budget);
  let skippedElement = "";
  let skippedDepth = 0;
  let isText = false;
  /** Start of the content control that is a table of contents, as a depth of content controls. */
  let controlDepth = 0;
  let contentsDepth = 0;
  readMarkup(xml, {
    open(name, attributes, isSelfClosing) {
      if (name === "docpartgallery" && /contents/i.test(attributeOf(attributes, "val")))
        contentsDepth ||= controlDepth;
      if (skippedElement !== "") {
        if (name === skippedElement && !isSelfClosing) skippedDepth += 1;
      } else if (skippedElements.has(name) && !isSelfClosing)
        [skippedElement, skippedDepth] = [name, 1];
      else if (name === "sdt") controlDepth += 1;
      else if (name === "t") isText = !isSelfClosing;
      else writer.open(name, attributes, isSelfClosing);
    },
    close(name) {
      if (skippedElement !== "") {
        if (name === skippedElement && --skippedDepth === 0) skippedElement = "";
      } else if (name === "t") isText = false;
      else if (name === "sdt") {
        if (controlDepth === contentsDepth) contentsDepth = 0;
        controlDepth -= 1;
      } else writer.close(name);
    },
    text(text) {
      if (isText && skippedElement === "" && contentsDepth === 0) writer.text(text);
    },
  });
  return writer.end();
}

type Run = { isHidden: boolean; isRaised: boolean };

function createWordWriter(styles: WordStyles, budget: CharacterBudget) {
  const paragraphs: string[] = [];
  let title = "";
  let text = "";
  /** The last characters of `text`: reading them from there would copy all of it. */
  let ending = "";
  let styleId = "";
  let outlineLevel: number | undefined;
  let run: Run = { isHidden: false, isRaised: false };
  let tableDepth = 0;
  let rows: string[][] = [];
  let hasHeader = false;

  const add = (paragraph: string): void => {
    budget.consume(paragraph.length);
    paragraphs.push(paragraph);
  };
  const endParagraph = (): void => {
    // In a table, the text of a cell continues.
    if (tableDepth > 0) return void (text += " ");
    const { headingLevel, isContents, isTitle } = describeStyle(styles, styleId);
    const level = outlineLevel ?? headingLevel;
    const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
    text = "";
    if (isContents) return;
    const heading = lines.filter(Boolean).join(" ");
    if (isTitle) title ||= heading;
    if (level === undefined) for (const line of lines.filter(Boolean)) add(line);
    else if (heading !== "") add(`${"#".repeat(Math.min(level + 1, 6))} ${heading}`);
  };
  const endTable = (): void => {
    tableDepth = Math.max(0, tableDepth - 1);
    if (tableDepth > 0) return;
    for (const paragraph of tableToParagraphs(rows, hasHeader)) add(paragraph);
    [rows, hasHeader, text] = [[], false, ""];
  };
  return {
    open(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean): void {
      if (name === "p" && tableDepth === 0) [styleId, outlineLevel] = ["", undefined];
      else if (name === "pstyle") styleId = attributeOf(attributes, "val");
      else if (name === "outlinelvl") outlineLevel = parseOutlineLevel(attributes);
      else if (name === "r") run = { isHidden: false, isRaised: false };
      else if (name === "vanish") run.isHidden = isOn(attributes);
      else if (name === "vertalign")
        run.isRaised = attributeOf(attributes, "val") === "superscript";
      else if (name === "tab") text += " ";
      else if (name === "br" || name === "cr") text += "\n";
      else if (name === "nobreakhyphen") text += "-";
      else if (name === "tbl" && !isSelfClosing) tableDepth += 1;
      else if (name === "tr" && tableDepth === 1) rows.push([]);
      else if (name === "tblheader" && rows.length === 1) hasHeader = isOn(attributes);
    },
    close(name: string): void {
      if (name === "p") endParagraph();
      else if (name === "tbl") endTable();
      else if (name === "tc" && tableDepth > 1) text += ", ";
      else if (name === "tc" && tableDepth === 1) {
        rows.at(-1)?.push(text.replace(/\s+/g, " ").trim());
        text = "";
      }
    },
    text(added: string): void {
      if (run.isHidden) return;
      const spoken = run.isRaised ? spokenSuperscript(added, ending) : added;
      text += spoken;
      ending = (ending + spoken.slice(-4)).slice(-4);
    },
    end(): { title: string; script: string } {
      // Elements that were never closed.
      if (tableDepth > 0) {
        tableDepth = 1;
        endTable();
      }
      endParagraph();
      return { title, script: paragraphs.join("\n\n") };
    },
  };
}
