// The text files of an EPUB 3 book with media overlays: reading systems highlight each sentence while it is spoken.
// Pure. EPUB 3.3, sections 5 (package), 7 (navigation) and 9 (media overlays); the audio is one file per chapter.

/** A sentence that is spoken from `startMs` to `endMs` of its chapter; silent ones are only read. */
export type EpubSentence = {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly startsParagraph: boolean;
};

export type EpubChapter = { readonly title: string; readonly sentences: readonly EpubSentence[] };

export type EpubBook = {
  /** The same in each export of a narration. */
  readonly identifier: string;
  readonly title: string;
  readonly author: string;
  /** ISO-639-1 */
  readonly language: string;
  readonly modifiedAtMs: number;
  readonly chapters: readonly EpubChapter[];
  readonly cover?: { readonly extension: "jpg" | "png"; readonly mediaType: string } | undefined;
};

/** Where the audio of a chapter goes, from 0, and the picture of the cover. */
export const epubAudioPath = (chapter: number): string => `EPUB/audio/${chapterName(chapter)}.mp3`;
export const epubCoverPath = (extension: string): string => `EPUB/cover.${extension}`;
export const epubMimeType = "application/epub+zip";

const chapterName = (chapter: number): string => `chapter-${chapter + 1}`;

/** All files but the mimetype, the audio and the picture: path → content. Yields after each chapter. */
export function* listEpubTexts(book: EpubBook): Generator<undefined, Map<string, string>> {
  const files = new Map([
    ["META-INF/container.xml", container],
    ["EPUB/package.opf", packageDocument(book)],
    ["EPUB/nav.xhtml", navigation(book)],
    ["EPUB/book.css", stylesheet],
  ]);
  if (book.cover !== undefined)
    files.set("EPUB/cover.xhtml", coverPage(book, book.cover.extension));
  for (const [index, chapter] of book.chapters.entries()) {
    yield;
    files.set(`EPUB/${chapterName(index)}.xhtml`, chapterPage(book, chapter));
    files.set(`EPUB/${chapterName(index)}.smil`, overlay(index, chapter));
  }
  return files;
}

const isSpoken = ({ startMs, endMs }: EpubSentence): boolean => endMs > startMs;
const toSec = (ms: number): string => `${(ms / 1000).toFixed(3)}s`;
/** The sum of its clips, as the specification demands. */
const durationMs = ({ sentences }: EpubChapter): number =>
  sentences.filter(isSpoken).reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
/** Without control characters and lone surrogates, which XML does not allow. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\p{Cc}|[\ufffe\uffff]/gu, " ")
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

const container = `${declaration}
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
`;

const stylesheet = `body { line-height: 1.5; }
.spoken { background: #fbe6d9; color: #1d1b17; }
.cover { margin: 0; text-align: center; }
.cover img { max-width: 100%; max-height: 100vh; }
`;

function packageDocument(book: EpubBook): string {
  const { identifier, title, author, language, modifiedAtMs, chapters, cover } = book;
  const totalMs = chapters.reduce((sum, chapter) => sum + durationMs(chapter), 0);
  const modified = `${new Date(modifiedAtMs).toISOString().slice(0, 19)}Z`;
  const items = chapters.flatMap((chapter, index) => {
    const name = chapterName(index);
    const hasAudio = durationMs(chapter) > 0;
    return [
      `<item id="${name}" href="${name}.xhtml" media-type="application/xhtml+xml"` +
        `${hasAudio ? ` media-overlay="${name}-overlay"` : ""}/>`,
      ...(hasAudio
        ? [
            `<item id="${name}-overlay" href="${name}.smil" media-type="application/smil+xml"/>`,
            `<item id="${name}-audio" href="audio/${name}.mp3" media-type="audio/mpeg"/>`,
          ]
        : []),
    ];
  });
  const durations = chapters.map((chapter, index) =>
    durationMs(chapter) === 0
      ? ""
      : `<meta property="media:duration" refines="#${chapterName(index)}-overlay">` +
        `${toSec(durationMs(chapter))}</meta>\n`,
  );
  return `${declaration}
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="${language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">${escapeXml(identifier)}</dc:identifier>
<dc:title>${escapeXml(title)}</dc:title>
<dc:language>${language}</dc:language>
${author === "" ? "" : `<dc:creator>${escapeXml(author)}</dc:creator>\n`}<meta property="dcterms:modified">${modified}</meta>
<meta property="media:duration">${toSec(totalMs)}</meta>
${durations.join("")}<meta property="media:active-class">spoken</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="css" href="book.css" media-type="text/css"/>
${
  cover === undefined
    ? ""
    : `<item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>
<item id="cover-image" href="cover.${cover.extension}" media-type="${cover.mediaType}" properties="cover-image"/>
`
}${items.join("\n")}
</manifest>
<spine>
${cover === undefined ? "" : '<itemref idref="cover"/>\n'}${chapters.map((_, index) => `<itemref idref="${chapterName(index)}"/>`).join("\n")}
</spine>
</package>
`;
}

const page = ({ language }: EpubBook, title: string, body: string): string => `${declaration}
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="${language}" lang="${language}">
<head>
<title>${escapeXml(title)}</title>
<link rel="stylesheet" type="text/css" href="book.css"/>
</head>
<body>
${body}
</body>
</html>
`;

const navigation = (book: EpubBook): string =>
  page(
    book,
    book.title,
    `<nav epub:type="toc" id="toc">
<h1>${escapeXml(book.title)}</h1>
<ol>
${book.chapters.map(({ title }, index) => `<li><a href="${chapterName(index)}.xhtml">${escapeXml(title)}</a></li>`).join("\n")}
</ol>
</nav>`,
  );

const coverPage = (book: EpubBook, extension: string): string =>
  page(
    book,
    book.title,
    `<p class="cover"><img src="cover.${extension}" alt="${escapeXml(book.title)}"/></p>`,
  );

const sentenceId = (index: number): string => `s${index + 1}`;

function chapterPage(book: EpubBook, { title, sentences }: EpubChapter): string {
  // The title is spoken as well: it is the first sentence, if the chapter has a heading.
  const [first] = sentences;
  const hasSpokenTitle = first?.text.replace(/[.!?:]$/, "") === title.replace(/[.!?:]$/, "");
  const heading = hasSpokenTitle
    ? `<h1 id="${sentenceId(0)}">${escapeXml(first?.text ?? "")}</h1>`
    : `<h1>${escapeXml(title)}</h1>`;
  const paragraphs: string[][] = [];
  for (const [index, { text, startsParagraph }] of sentences.entries()) {
    if (index === 0 && hasSpokenTitle) continue;
    if (startsParagraph || paragraphs.length === 0) paragraphs.push([]);
    paragraphs.at(-1)?.push(`<span id="${sentenceId(index)}">${escapeXml(text)}</span>`);
  }
  return page(
    book,
    title,
    [heading, ...paragraphs.map((spans) => `<p>${spans.join(" ")}</p>`)].join("\n"),
  );
}

function overlay(index: number, { sentences }: EpubChapter): string {
  const name = chapterName(index);
  const pars = sentences.flatMap((sentence, at) =>
    isSpoken(sentence)
      ? [
          `<par id="par-${at + 1}"><text src="${name}.xhtml#${sentenceId(at)}"/>` +
            `<audio src="audio/${name}.mp3" clipBegin="${toSec(sentence.startMs)}" ` +
            `clipEnd="${toSec(sentence.endMs)}"/></par>`,
        ]
      : [],
  );
  return `${declaration}
<smil xmlns="http://www.w3.org/ns/SMIL" xmlns:epub="http://www.idpf.org/2007/ops" version="3.0">
<body>
<seq id="${name}" epub:textref="${name}.xhtml">
${pars.join("\n")}
</seq>
</body>
</smil>
`;
}
