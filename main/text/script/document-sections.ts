// Divides a document's script into chapters, and tells text from title pages, imprints and tables of contents. Pure.

import type { DocumentChapter } from "../../contract/documents.ts";

export type DocumentSection = { title: string; script: string; isText: boolean };

/** Whole titles of what nobody wants to hear, in the languages of the voices and in German. */
const frontMatterTitles = new RegExp(
  `^(?:${[
    "cover|title ?page|half ?title|copyright( page| notice)?|imprint|colophon|legal notice|dedication",
    "(table of )?contents|list of (illustrations|figures|tables|maps)|(also|other books) by .*|praise for .*",
    "index|bibliography|references|works cited|(foot|end)?notes|acknowledge?ments|about the (author|publisher)",
    "(the full )?project gutenberg.* licen[sc]e|transcriber['’]s notes?",
    "titel(seite|blatt)?|umschlag|impressum|inhalt(sverzeichnis|sübersicht)?|widmung|danksagung|register",
    "(literatur|abbildungs|tabellen|stichwort|quellen)verzeichnis|anmerkungen|fußnoten|über (den autor|die autorin)",
    "couverture|page de titre|mentions légales|table des matières|sommaire|dédicace|remerciements|bibliographie",
    "cubierta|portada|portadilla|créditos|índice|dedicatoria|agradecimientos|bibliografía|notas",
    "copertina|frontespizio|colophon|indice|sommario|dedica|ringraziamenti|bibliografia|note",
    "capa|folha de rosto|ficha técnica|sumário|agradecimentos",
  ].join("|")})$`,
  "iu",
);
/** Values of `epub:type` and of the guide of EPUB 2. */
const frontMatterTypes = new Set(
  (
    "cover titlepage title-page halftitlepage halftitle copyright-page copyright imprint imprimatur colophon " +
    "dedication toc landmarks loi lot lov loa index bibliography endnotes rearnotes footnotes notes " +
    "acknowledgments acknowledgements contributors other-credits errata keywords seriespage"
  ).split(" "),
);

/** Marks of a title that do not count: `1. Contents:` */
const bareTitle = (title: string): string =>
  title.replace(/^[\s\d.:]{0,10}/, "").replace(/[\s.:]{1,10}$/, "");

export const isFrontMatterTitle = (title: string): boolean =>
  title.length <= 120 && frontMatterTitles.test(bareTitle(title));

export const isFrontMatterType = (types: string): boolean =>
  types
    .toLowerCase()
    .split(/\s+/)
    .some((type) => frontMatterTypes.has(type));

/** Damaged documents may have a whole text as one heading. */
const maxTitleCharacters = 300;

type Heading = { title: string; level: number; start: number };

function findHeadings(script: string): Heading[] {
  return [...script.matchAll(/^(#{1,6}) (.+)$/gm)].map(
    ({ 1: marks = "", 2: title = "", index }) => ({
      title,
      level: marks.length,
      start: index,
    }),
  );
}

/**
 * At the headings of the highest level that divides the script; a heading of a title alone does not. Headings without
 * text between them, such as those of a part and of its first chapter, stay together.
 * @param minHeadings 1: only at the highest level there is
 */
export function divideAtHeadings(script: string, minHeadings = 2): DocumentSection[] {
  const headings = findHeadings(script);
  const level = [1, 2, 3, 4, 5, 6].find(
    (candidate) => headings.filter((heading) => heading.level <= candidate).length >= minHeadings,
  );
  const starts = headings.filter((heading) => heading.level <= (level ?? 6));
  if (starts[0]?.start !== 0) starts.unshift({ title: "", level: 0, start: 0 });
  const sections: DocumentSection[] = [];
  let title = "";
  let heading = "";
  for (const [index, start] of starts.entries()) {
    const part = script.slice(start.start, starts[index + 1]?.start).trim();
    title = title === "" ? start.title : `${title} · ${start.title}`;
    heading = heading === "" ? part : `${heading}\n\n${part}`;
    const isHeadingAlone = start.title !== "" && !part.includes("\n");
    if (part === "" || (isHeadingAlone && index + 1 < starts.length)) continue;
    sections.push({ title, script: heading, isText: !isFrontMatterTitle(start.title) });
    [title, heading] = ["", ""];
  }
  return sections;
}

/** The script of all sections, and where each starts in it. */
export function joinSections(sections: readonly DocumentSection[]): {
  script: string;
  chapters?: DocumentChapter[];
} {
  const chapters: DocumentChapter[] = [];
  const scripts: string[] = [];
  let start = 0;
  for (const { title, script, isText } of sections) {
    chapters.push({ title: title.slice(0, maxTitleCharacters), start, isText });
    scripts.push(script);
    start += script.length + 2;
  }
  return { script: scripts.join("\n\n"), ...(chapters.length > 1 && { chapters }) };
}
