import { expect, it } from "vitest";
import { createCharacterBudget } from "../../../../main/text/script/character-budget.ts";
import { markdownToScript } from "../../../../main/text/script/import-markdown.ts";
import { decodeText, subtitlesToScript } from "../../../../main/text/script/import-text.ts";
import { xhtmlToScript } from "../../../../main/text/script/import-xhtml.ts";

it("decodes text in common encodings", () => {
  expect(decodeText(Buffer.from("\ufeffGrün"))).toBe("Grün");
  expect(decodeText(Buffer.from("\ufeffGrün", "utf16le"))).toBe("Grün");
  expect(decodeText(Buffer.of(0x47, 0x72, 0xfc, 0x6e, 0x20, 0x96))).toBe("Grün –");
});

it("keeps the parts of Markdown that should be spoken", () => {
  const markdown = `---
title: "My Book"
author: Jane Doe
---
The Start
=========

Some **bold** and *light* \`code\`, a [link](https://example.org/a_b) and a [path](/docs/guide).
A [tomato](/təmˈɑtoʊ/) stays.

- one item
- [ ] two_items_here

> quoted

![a picture](x.png)

| a | b |
|---|---|
| 1 | 2 |

---

\`\`\`js
let x;
\`\`\`
<!-- gone --> End[^1].`;
  const { title, author, script } = markdownToScript(markdown);
  expect({ title, author }).toEqual({ title: "My Book", author: "Jane Doe" });
  expect(script).toBe(`# The Start

Some bold and light code, a link and a path.
A [tomato](/təmˈɑtoʊ/) stays.

one item

two_items_here

quoted

a picture

1: b 2.

* * *

let x;

End.`);
});

it("joins the texts of subtitles, with a new paragraph where a long silence follows a sentence", () => {
  const srt = [
    "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>This is</i>\r\n- one sentence\r\n",
    "2\r\n00:00:02,100 --> 00:00:03,000\r\n{\\an8}that goes on.\r\n",
    "3\r\n00:00:09,000 --> 00:00:10,000\r\nA new one.\r\n",
  ].join("\r\n");
  expect(subtitlesToScript(srt)).toBe("This is one sentence that goes on.\n\nA new one.");
  expect(
    subtitlesToScript(
      "WEBVTT\n\nNOTE hello\n\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hi &lt;you</v>",
    ),
  ).toBe("Hi <you");
});

it("extracts only the text of a chapter, without running or showing anything else", () => {
  const xhtml = `<?xml version="1.0"?>
    <!DOCTYPE html [<!ENTITY nbsp "&#160;"><!ENTITY file SYSTEM "file:///etc/passwd">]><html><head><title>Not this</title><style>p{}</style></head><body>
    <h2>Chapter <br/>One</h2><p>It&#8217;s a <em>fine</em>&nbsp;day<a epub:type="noteref" href="#n1"><sup>1</sup></a>.
    Still the same.</p><script>alert(1)</script><div>Line one<br/>Line two</div><hr/><p>5 &lt; 6 &amp; done<p>unclosed
    </body></html>`;
  expect(xhtmlToScript(xhtml)).toBe(
    "## Chapter One\n\nIt’s a fine day. Still the same.\n\nLine one\n\nLine two\n\n* * *\n\n5 < 6 & done\n\nunclosed",
  );
});

it("leaves out the marks of footnotes and the notes, and keeps exponents and numbers", () => {
  const xhtml = `<p>They lit it.<sup>1</sup> It was 5 m<sup>2</sup> on May 1<sup>st</sup><a href="#n2">[2]</a> and
    cold<a href="n.xhtml#n3"><sup>3</sup></a>, see chapter <a href="#c4">4</a>.</p>
    <aside epub:type="footnote" id="n1"><p>1 A note.</p></aside><p><sup>10</sup>Verse ten.</p>
    <section role="doc-endnotes"><h2>Notes</h2><ol><li>Another note.</li></ol></section>`;
  expect(xhtmlToScript(xhtml)).toBe(
    "They lit it. It was 5 m² on May 1st and cold, see chapter 4.\n\nVerse ten.",
  );
});

it("counts what stands for a change of scene, too", () => {
  expect(() => xhtmlToScript("<hr/>".repeat(300), createCharacterBudget(1000))).toThrow(/1,?000/);
});

it("reads tables by their rows, and what is only laid out as a table as paragraphs", () => {
  expect(
    xhtmlToScript(
      "<table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td><p>30</p></td></tr></table><p>End.</p>",
    ),
  ).toBe("Ann: Age 30.\n\nEnd.");
  expect(
    xhtmlToScript("<table><tr><td>One<td>Two</tr><tr><td><p>A whole text.</p></td></tr></table>"),
  ).toBe("One, Two.\n\nA whole text.");
});

// With quadratic patterns, these take minutes; with linear ones, milliseconds.
const hostile = [
  "-",
  "<!--",
  "![",
  "[[",
  "[a](",
  "<a",
  '<a b="',
  "**",
  "*a ",
  '"',
  "# ",
  "&",
  "> ",
  "<?",
  "<![CDATA[",
  "|a",
  "a_",
];
it.each(hostile)(
  "parses 100,000 characters of %j as Markdown, as a chapter and as subtitles",
  (token) => {
    const text = `${token.repeat(100_000 / token.length)}x`;
    expect(typeof markdownToScript(text).script).toBe("string");
    expect(typeof xhtmlToScript(text)).toBe("string");
    expect(typeof subtitlesToScript(`00:00:01,000 --> 00:00:02,000\n${text}`)).toBe("string");
  },
);

it("parses a line of 60 KB of plain prose as Markdown", () => {
  const prose = "The rain fell all day, and nobody went out. ".repeat(1_400).trim();
  expect(markdownToScript(prose).script).toBe(prose);
});
