// Markdown as script: headings stay, and so do phonemes and other marks of scripts; what is only for the eye goes.
// markdown-it reads it. Of the parsers that were measured it is the one whose time grows with the length alone,
// whatever is repeated (NOTES.md). Pure.

import MarkdownIt, { type Token } from "markdown-it";
import { type CharacterBudget, unlimited } from "./character-budget.ts";
import { type ImportedScript, scriptOfText } from "./import-text.ts";
import { scriptOfXhtml } from "./import-xhtml.ts";

const parser = new MarkdownIt({ html: true });
// Addresses are never shown or followed: they need neither encoding nor a check of their scheme.
parser.normalizeLink = (url) => url;
parser.validateLink = () => true;

/** Phonemes hold letters beyond ASCII or nothing but letters; a path has dots, dashes or more slashes. */
const phonemes = /^\/[^\s/.()-]{1,200}\/$/;
const footnoteMark = /\[\^[^\]\n]{1,100}\]/g;
const footnote = /^\[\^[^\]\n]{1,100}\]:/;
const taskMark = /^\[[ xX]\][ \t]+/;

/**
 * `title` and `author` come from the front matter, else the title from the first heading.
 * @throws AppError `string_too_long` as soon as the budget is used up
 */
export function scriptOfMarkdown(
  markdown: string,
  budget: CharacterBudget = unlimited(),
): ImportedScript {
  const { fields, body } = frontMatter(scriptOfText(markdown));
  const paragraphs: string[] = [];
  let heading: string | undefined;
  const add = (text: string): void => {
    const plain = text.trim();
    if (plain === "") return;
    budget.take(plain.length);
    paragraphs.push(plain);
  };
  for (const block of blocksOf(parser.parse(body, {}))) {
    add(block.text);
    if (block.isHeading && block.text !== "") heading ??= block.text.replace(/^#{1,6} /, "");
  }
  return {
    title: fields.get("title") ?? heading ?? "",
    author: fields.get("author") ?? "",
    script: paragraphs.join("\n\n"),
  };
}

type Block = { text: string; isHeading?: boolean };

function* blocksOf(tokens: readonly Token[]): Generator<Block> {
  let level = 0;
  let isItem = false;
  /** Of the table's row that is being read. */
  let cells: string[] | undefined;
  for (const { type, tag, content, children } of tokens) {
    if (type === "heading_open") level = Number(tag[1]);
    else if (type === "heading_close") level = 0;
    else if (type === "list_item_open") isItem = true;
    else if (type === "tr_open") cells = [];
    else if (type === "tr_close") {
      const shown = (cells ?? []).map((cell) => cell.trim()).filter(Boolean);
      if (shown.length > 0) yield { text: `${shown.join(", ")}.` };
      cells = undefined;
    } else if (type === "hr") yield { text: "* * *" };
    else if (type === "fence" || type === "code_block") yield { text: content };
    else if (type === "html_block")
      yield { text: scriptOfXhtml(content).replace(footnoteMark, "") };
    else if (type === "inline") {
      const text = inlineText(children ?? []).replace(isItem ? taskMark : "", "");
      isItem = false;
      if (cells !== undefined) cells.push(text);
      else if (level > 0)
        yield { text: `${"#".repeat(level)} ${text.replace(/\n/g, " ")}`.trim(), isHeading: true };
      else if (!footnote.test(text)) yield { text: text.replace(footnoteMark, "") };
    }
  }
}

function inlineText(tokens: readonly Token[]): string {
  const pieces: string[] = [];
  /** What closes the open links: nothing, or phonemes. */
  const links: string[] = [];
  let isAddress = false;
  for (const { type, content, markup, attrs } of tokens) {
    if (type === "link_open") {
      // An address in angle brackets is its own text, and no text to read out.
      isAddress = markup === "autolink";
      const url = String(attrs?.find(([attribute]) => attribute === "href")?.[1] ?? "");
      const isSpoken = phonemes.test(url);
      if (isSpoken) pieces.push("[");
      links.push(isSpoken ? `](${url})` : "");
    } else if (type === "link_close") {
      pieces.push(links.pop() ?? "");
      isAddress = false;
    } else if (type === "softbreak" || type === "hardbreak") pieces.push("\n");
    else if (isAddress || type === "html_inline") continue;
    else pieces.push(content);
  }
  return pieces.join("");
}

function frontMatter(text: string): { fields: ReadonlyMap<string, string>; body: string } {
  const found = /^---\n([\s\S]*?)\n(?:---|\.\.\.)(?:\n|$)/.exec(text);
  const fields = new Map<string, string>();
  for (const line of (found?.[1] ?? "").split("\n")) {
    const [, name = "", rest = ""] = /^(title|author)[ \t]*:(.*)$/i.exec(line) ?? [];
    const value = rest.trim().replace(/^(["'])(.*)\1$/, "$2");
    if (name !== "" && value !== "") fields.set(name.toLowerCase(), value);
  }
  return { fields, body: text.slice(found?.[0].length ?? 0) };
}
