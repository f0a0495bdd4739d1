// Converts Markdown to a script: keeps headings, inline phonemes and other marks of scripts, removes visual formatting.
// Of the parsers that were measured, only markdown-it takes linear time for any repetition (main/jobs/NOTES.md). Pure.

import MarkdownIt, { type Token } from "markdown-it";
import { type CharacterBudget, unlimitedBudget } from "./character-budget.ts";
import { type ImportedScript, textToScript } from "./import-text.ts";
import { xhtmlToScript } from "./import-xhtml.ts";
import { tableToParagraphs } from "./spoken-document-parts.ts";

const parser = new MarkdownIt({ html: true });
// URLs are never shown or opened: they need neither encoding nor a check of their scheme.
parser.normalizeLink = (url) => url;
parser.validateLink = () => true;

/** Phonemes contain non-ASCII letters, or only letters; a path contains dots, dashes or more slashes. */
const phonemeUrl = /^\/[^\s/.()-]{1,200}\/$/;
const footnoteMarkPattern = /\[\^[^\]\n]{1,100}\]/g;
const footnotePattern = /^\[\^[^\]\n]{1,100}\]:/;
const taskMarkPattern = /^\[[ xX]\][ \t]+/;

/**
 * `title` and `author` come from the front matter; without a title there, it is the first heading.
 * @throws AppError `string_too_long` as soon as the budget is used up
 */
export function markdownToScript(
  markdown: string,
  budget: CharacterBudget = unlimitedBudget(),
): ImportedScript {
  const { fields, body } = parseFrontMatter(textToScript(markdown));
  const paragraphs: string[] = [];
  let heading: string | undefined;
  const add = (text: string): void => {
    const trimmed = text.trim();
    if (trimmed === "") return;
    budget.consume(trimmed.length);
    paragraphs.push(trimmed);
  };
  for (const block of iterateBlocks(parser.parse(body, {}))) {
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

function* iterateBlocks(tokens: readonly Token[]): Generator<Block> {
  let level = 0;
  let isItem = false;
  /** Rows of the table being read. */
  let rows: string[][] | undefined;
  for (const { type, tag, content, children } of tokens) {
    if (type === "heading_open") level = Number(tag[1]);
    else if (type === "heading_close") level = 0;
    else if (type === "list_item_open") isItem = true;
    else if (type === "table_open") rows = [];
    else if (type === "tr_open") rows?.push([]);
    else if (type === "table_close") {
      for (const text of tableToParagraphs(rows ?? [], true)) yield { text };
      rows = undefined;
    } else if (type === "hr") yield { text: "* * *" };
    else if (type === "fence" || type === "code_block") yield { text: content };
    else if (type === "html_block")
      yield { text: xhtmlToScript(content).replace(footnoteMarkPattern, "") };
    else if (type === "inline") {
      const text = toInlineText(children ?? []).replace(isItem ? taskMarkPattern : "", "");
      isItem = false;
      if (rows !== undefined) rows.at(-1)?.push(text.trim());
      else if (level > 0)
        yield { text: `${"#".repeat(level)} ${text.replace(/\n/g, " ")}`.trim(), isHeading: true };
      else if (!footnotePattern.test(text)) yield { text: text.replace(footnoteMarkPattern, "") };
    }
  }
}

function toInlineText(tokens: readonly Token[]): string {
  const parts: string[] = [];
  /** Text that closes each open link: empty, or phonemes. */
  const links: string[] = [];
  let isAutolink = false;
  for (const { type, content, markup, attrs } of tokens) {
    if (type === "link_open") {
      // The text of an autolink is its URL, which should not be read aloud.
      isAutolink = markup === "autolink";
      const url = String(attrs?.find(([attribute]) => attribute === "href")?.[1] ?? "");
      const isPhonemeLink = phonemeUrl.test(url);
      if (isPhonemeLink) parts.push("[");
      links.push(isPhonemeLink ? `](${url})` : "");
    } else if (type === "link_close") {
      parts.push(links.pop() ?? "");
      isAutolink = false;
    } else if (type === "softbreak" || type === "hardbreak") parts.push("\n");
    else if (isAutolink || type === "html_inline") continue;
    else parts.push(content);
  }
  return parts.join("");
}

function parseFrontMatter(text: string): { fields: ReadonlyMap<string, string>; body: string } {
  const match = /^---\n([\s\S]*?)\n(?:---|\.\.\.)(?:\n|$)/.exec(text);
  const fields = new Map<string, string>();
  for (const line of (match?.[1] ?? "").split("\n")) {
    const [, name = "", rest = ""] = /^(title|author)[ \t]*:(.*)$/i.exec(line) ?? [];
    const value = rest.trim().replace(/^(["'])(.*)\1$/, "$2");
    if (name !== "" && value !== "") fields.set(name.toLowerCase(), value);
  }
  return { fields, body: text.slice(match?.[0].length ?? 0) };
}
