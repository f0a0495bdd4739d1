// Documents as users import them, and damaged or malicious versions of them.

import { strToU8, zipSync } from "fflate";
import { pdfBytes } from "./pdf-bytes.ts";

const page = (body: string): string =>
  `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>${body}</body></html>`;

export type EpubOptions = {
  /** How many times the spine lists its only chapter. */
  spineRepeats?: number;
  chapter?: string;
};

export function epubBytes({
  spineRepeats = 1,
  chapter = "<h1>The First</h1><p>Hello there.</p>",
}: EpubOptions = {}): Uint8Array {
  return zipSync({
    mimetype: strToU8("application/epub+zip"),
    "META-INF/container.xml": strToU8(
      '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    ),
    "OPS/book.opf": strToU8(`<package xmlns:dc="http://purl.org/dc/elements/1.1/">
      <metadata><dc:title>A book</dc:title><dc:creator>Jane Doe</dc:creator></metadata>
      <manifest>
        <item id="one" href="one.xhtml"/><item id="nav" href="nav.xhtml" properties="nav"/>
      </manifest>
      <spine>${'<itemref idref="one"/>'.repeat(spineRepeats)}</spine></package>`),
    "OPS/nav.xhtml": strToU8(page('<nav><a href="one.xhtml">First</a></nav>')),
    "OPS/one.xhtml": strToU8(page(chapter)),
  });
}

const docxBytes = (): Uint8Array =>
  zipSync({
    "[Content_Types].xml": strToU8(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
        <Override PartName="/word/document.xml"
          ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    ),
    "word/document.xml": strToU8(
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
        "<w:body><w:p><w:r><w:t>Hello there.</w:t></w:r></w:p></w:body></w:document>",
    ),
  });

const markdown = `---
title: "A book"
---
# One

Some **bold** and *light* \`code\`, a [link](https://example.org/a_b).

- one
- [ ] two

| a | b |
|---|---|
| 1 | 2 |

<!-- gone --> ![p](x.png) End[^1].
`;
const subtitles = `1
00:00:01,000 --> 00:00:02,000
<i>This is</i> &amp; was

2
00:00:02,100 --> 00:00:09,000
{\\an8}that goes on.

`;

export type SeedDocument = { name: string; bytes: Uint8Array };

export const seedDocuments: readonly SeedDocument[] = [
  { name: "book.epub", bytes: epubBytes() },
  { name: "text.md", bytes: strToU8(markdown) },
  { name: "film.srt", bytes: strToU8(subtitles) },
  {
    name: "text.txt",
    bytes: strToU8("Hello there.\r\n\r\nA second paragraph, Grün – “quoted”.\n"),
  },
  { name: "letter.docx", bytes: docxBytes() },
  { name: "page.pdf", bytes: pdfBytes([[{ text: "Hello there.", y: 100 }]]) },
];

/**
 * Changes, removes, repeats or moves bytes. Results have at most a few hundred kilobytes. @param random uniform in [0,
 * 1)
 */
export function mutateDocument({ name, bytes }: SeedDocument, random: () => number): SeedDocument {
  let mutatedBytes = Buffer.from(bytes);
  const randomOffset = (): number => Math.floor(random() * mutatedBytes.length);
  const count = 1 + Math.floor(random() * 8);
  for (let at = 0; at < count && mutatedBytes.length > 0; at++) {
    const [startOffset, endOffset] = [randomOffset(), randomOffset()].sort((a, b) => a - b) as [
      number,
      number,
    ];
    const kind = Math.floor(random() * 5);
    if (kind === 0) mutatedBytes[startOffset] = Math.floor(random() * 256);
    else if (kind === 1)
      mutatedBytes[startOffset] =
        (mutatedBytes[startOffset] ?? 0) ^ (1 << Math.floor(random() * 8));
    else if (kind === 2)
      mutatedBytes = Buffer.concat([
        mutatedBytes.subarray(0, startOffset),
        mutatedBytes.subarray(endOffset),
      ]);
    else if (kind === 3) {
      const part = mutatedBytes.subarray(startOffset, Math.min(endOffset, startOffset + 40));
      const times = Math.floor(random() * 2_000);
      mutatedBytes = Buffer.concat([
        mutatedBytes.subarray(0, startOffset),
        ...Array.from({ length: times }, () => part),
        mutatedBytes.subarray(startOffset),
      ]).subarray(0, 300_000);
    } else
      mutatedBytes = Buffer.concat([
        mutatedBytes.subarray(startOffset),
        mutatedBytes.subarray(0, startOffset),
      ]);
  }
  return { name, bytes: mutatedBytes };
}
