import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { importScript } from "../../../../main/jobs/document-import/import-script.ts";

const chapter = (body: string) =>
  `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>${body}</body></html>`;

/** In the order of the spine, which differs from that of the manifest. */
function epub(more: Record<string, string> = {}): Uint8Array {
  const files: Record<string, string> = {
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles>
      <rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    "OPS/book.opf": `<package xmlns:dc="http://purl.org/dc/elements/1.1/">
      <metadata><dc:title>Tom &amp; Co</dc:title><dc:creator id="a">Jane Doe</dc:creator>
        <dc:creator>John Roe</dc:creator><meta name="cover" content="img"/></metadata>
      <manifest><item id="two" href="text/two%20.xhtml" media-type="application/xhtml+xml"/>
        <item id='one' href='text/one.xhtml'/><item id="nav" href="nav.xhtml" properties="nav"/>
        <item id="img" href="cover.jpg"/><item id="notes" href="notes.xhtml"/></manifest>
      <spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/>
        <itemref idref="notes" linear="no"/></spine></package>`,
    "OPS/nav.xhtml": chapter(
      `<nav><ol><li><a href="text/one.xhtml">First</a></li>
        <li><a href="text/two%20.xhtml#x">Second <b>one</b></a></li></ol></nav>`,
    ),
    "OPS/text/one.xhtml": chapter("<h1>The First</h1><p>Hello there.</p>"),
    "OPS/text/two .xhtml": chapter("<p>Without a heading.</p><p>The end.</p>"),
    "OPS/notes.xhtml": chapter("<p>Not read.</p>"),
    ...more,
  };
  return zipSync({
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])),
    "OPS/cover.jpg": Buffer.from(
      "ffd8ffe000104a46494600010100000100010000ffc0000b080010002001011100",
      "hex",
    ),
  });
}

it("reads a book in reading order, and takes headings from the table of contents where a chapter has none", async () => {
  const { cover, ...book } = await importScript("some-file.epub", epub());
  expect(book).toEqual({
    title: "Tom & Co",
    author: "Jane Doe, John Roe",
    script: "# The First\n\nHello there.\n\n# Second one\n\nWithout a heading.\n\nThe end.",
    chapters: [
      { title: "First", start: 0, isText: true },
      { title: "Second one", start: 27, isText: true },
    ],
  });
  expect(
    Buffer.from(cover ?? "", "base64")
      .subarray(0, 2)
      .toString("hex"),
  ).toBe("ffd8");
});

it("reports a book that is encrypted, invalid or without text", async () => {
  const locked = epub({
    "META-INF/encryption.xml":
      '<encryption><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>',
  });
  await expect(importScript("a.epub", locked)).rejects.toThrow(/DRM/);
  await expect(importScript("a.epub", zipSync({ "a.txt": strToU8("x") }))).rejects.toThrow(
    /not an EPUB/,
  );
  await expect(importScript("a.epub", epub().subarray(0, 200))).rejects.toThrow(/not an EPUB/);
  await expect(importScript("a.odt", strToU8("hello"))).rejects.toThrow(/\.epub, \.docx, \.pdf/);
  await expect(importScript("a.txt", Buffer.of(0, 1, 2, 3))).rejects.toThrow(/not a text file/);
  await expect(importScript("a.txt", strToU8(" \n "))).rejects.toThrow(/no text/);
});

it("takes the title from the name of the file where the text has none", async () => {
  expect(await importScript("My story.v2.txt", strToU8("Hello."))).toEqual({
    title: "My story.v2",
    author: "",
    script: "Hello.",
  });
  expect((await importScript("a.md", strToU8("# The Title\n\nText."))).title).toBe("The Title");
  expect(
    (await importScript("film.srt", strToU8("1\n00:00:01,000 --> 00:00:02,000\nHi.\n"))).script,
  ).toBe("Hi.");
});

it("lists the chapters of a book, with title pages and the like not marked as text", async () => {
  const nav = `<nav epub:type="toc"><ol><li><a href="text/one.xhtml">Copyright</a></li>
    <li><a href="text/two%20.xhtml#a">One</a></li><li><a href="text/two%20.xhtml#b">Two</a></li></ol></nav>
    <nav epub:type="page-list"><a href="text/more.xhtml">12</a></nav>
    <nav epub:type="landmarks"><a epub:type="bodymatter" href="text/two%20.xhtml">Start</a></nav>`;
  const bytes = epub({
    "OPS/book.opf": `<package><manifest><item id="title" href="title.xhtml"/><item id="one" href="text/one.xhtml"/>
      <item id="two" href="text/two%20.xhtml"/><item id="more" href="text/more.xhtml"/>
      <item id="index" href="index.xhtml"/><item id="nav" href="nav.xhtml" properties="nav"/></manifest>
      <spine><itemref idref="title"/><itemref idref="one"/><itemref idref="two"/><itemref idref="more"/>
      <itemref idref="index"/></spine></package>`,
    "OPS/nav.xhtml": chapter(nav),
    "OPS/title.xhtml": chapter("<p>The Book</p>"),
    "OPS/text/one.xhtml": chapter("<p>All rights reserved.</p>"),
    "OPS/text/two .xhtml": chapter("<h2>One</h2><p>Text one.</p><h2>Two</h2><p>Text two.</p>"),
    "OPS/text/more.xhtml": chapter("<p>Two goes on.</p>"),
    "OPS/index.xhtml": chapter('<section epub:type="index"><p>A, 1</p></section>'),
  });
  const { chapters = [], script } = await importScript("a.epub", bytes);
  expect(
    chapters.map(({ title, start, isText }, index) => [
      title,
      script.slice(start, chapters[index + 1]?.start).trim(),
      isText,
    ]),
  ).toEqual([
    ["", "The Book", false],
    ["Copyright", "# Copyright\n\nAll rights reserved.", false],
    ["One", "## One\n\nText one.", true],
    ["Two", "## Two\n\nText two.\n\nTwo goes on.", true],
    ["", "A, 1", false],
  ]);
});
