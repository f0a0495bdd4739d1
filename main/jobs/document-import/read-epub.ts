// Converts an EPUB 2 or 3 into a script: container, package, spine, then chapters in reading order. Reads each file of
// the archive at most once, even if the book references it repeatedly.

import { AppError } from "../../contract/errors.ts";
import type { ImportedDocument } from "../../contract/documents.ts";
import { parseImageHeader } from "../../audio/codec/image-header.ts";
import type { CharacterBudget } from "../../text/script/character-budget.ts";
import {
  divideAtHeadings,
  type DocumentSection,
  isFrontMatterTitle,
  isFrontMatterType,
  joinSections,
} from "../../text/script/document-sections.ts";
import { xhtmlToScript } from "../../text/script/import-xhtml.ts";
import { readMarkup } from "../../text/script/read-markup.ts";
import { type Archive, parentFolder, readArchiveText, resolvePath } from "./read-archive.ts";

/** Covers are sent as JSON: a larger one is omitted. */
const maxCoverBytes = 10 * 2 ** 20;
/** Pages before the first chapter of the table of contents that are shorter are title pages, mottos and the like. */
const maxTitlePageCharacters = 1500;

/** @throws AppError if it is not an EPUB, is locked by DRM, or is too large; Error if it is damaged */
export async function readEpub(
  archive: Archive,
  budget: CharacterBudget,
): Promise<ImportedDocument> {
  const readText = (path: string): Promise<string> => readArchiveText(archive, path);
  if (/xmlenc#(?:aes|kw)/i.test(await readText("META-INF/encryption.xml")))
    throw new AppError("document.locked");
  const packagePath = parseRootFilePath(await readText("META-INF/container.xml"));
  const opf = await readText(packagePath);
  if (opf === "") throw new AppError("document.noEpub");
  const book = parsePackage(opf, parentFolder(packagePath));
  const navPath =
    [...book.manifest.values()].find(({ properties }) => /\bnav\b/.test(properties))?.path ?? "";
  const ncxPath =
    book.manifest.get(book.tocId)?.path ??
    archive.names.find((path) => path.endsWith(".ncx")) ??
    "";
  const nav = navPath === "" ? noNavigation() : parseNavigation(await readText(navPath), navPath);
  const entries = new Map<string, TocEntry[]>();
  addEntries(entries, navPath, nav.labels);
  if (entries.size === 0 && ncxPath !== navPath)
    addEntries(entries, ncxPath, parseNcxLabels(await readText(ncxPath)));
  const types = new Map([...book.guide, ...nav.landmarks]);

  const sections: DocumentSection[] = [];
  for (const path of chapterPaths(book, [navPath, ncxPath])) {
    const xhtml = await readText(path);
    const ownTypes = `${types.get(path) ?? ""} ${parseBodyTypes(xhtml)}`;
    addFile(sections, {
      script: xhtmlToScript(xhtml, budget),
      entries: entries.get(path) ?? [],
      isText: !isFrontMatterType(ownTypes),
      hasContents: entries.size > 0,
    });
  }
  const coverPath =
    [...book.manifest.values()].find(({ properties }) => /\bcover-image\b/.test(properties))
      ?.path ?? book.manifest.get(book.coverId ?? "")?.path;
  // Reads no other image: a book may have hundreds.
  const cover =
    coverPath === undefined || sections.length === 0 ? undefined : await archive.read(coverPath);
  const isUsableCover =
    cover !== undefined && cover.length <= maxCoverBytes && parseImageHeader(cover) !== undefined;
  return {
    title: book.title,
    author: book.authors.join(", "),
    ...joinSections(sections),
    ...(isUsableCover ? { cover: Buffer.from(cover).toString("base64") } : {}),
  };
}

type BookFile = {
  script: string;
  /** Of the table of contents that lead here. */
  entries: readonly TocEntry[];
  isText: boolean;
  /** Whether the book has a table of contents. */
  hasContents: boolean;
};

/** A file is one chapter, several, or the continuation of the one before. */
function addFile(
  sections: DocumentSection[],
  { script, entries, isText, hasContents }: BookFile,
): void {
  if (script === "") return;
  const previous = sections.at(-1);
  const continuePrevious = (text: string): boolean => {
    if (!hasContents || !isText || previous?.isText !== true) return false;
    previous.script += `\n\n${text}`;
    return true;
  };
  const [entry] = entries;
  if (entries.length > 1) {
    // Where the first entry leads to the whole file, the others are parts of that chapter, unless it has several.
    const parts = divideAtHeadings(script, entry?.href.includes("#") === true ? 2 : 1);
    if (parts.length > 1 && parts[0]?.title === "" && continuePrevious(parts[0].script))
      parts.shift();
    if (parts.length > 1)
      return void sections.push(
        ...parts.map((part) => ({ ...part, isText: isText && part.isText })),
      );
  }
  if (entry === undefined && continuePrevious(script)) return;
  const [, heading = ""] = /^#{1,6} (.+)/m.exec(script) ?? [];
  const title = entry?.label ?? heading;
  const isTitlePage = hasContents && entry === undefined && script.length <= maxTitlePageCharacters;
  sections.push({
    title,
    script: entry === undefined || heading !== "" ? script : `# ${title}\n\n${script}`,
    isText: isText && !isTitlePage && !isFrontMatterTitle(title),
  });
}

/** `epub:type` of the page and of its first section. */
const parseBodyTypes = (xhtml: string): string =>
  [...xhtml.slice(0, 10_000).matchAll(/epub:type\s*=\s*["']([^"'<>]{1,200})["']/gi)]
    .slice(0, 2)
    .map(([, types = ""]) => types)
    .join(" ");

/** In reading order, without duplicates and without the table of contents. */
function chapterPaths({ spine, manifest }: EpubPackage, tocPaths: readonly string[]): Set<string> {
  const paths = new Set<string>();
  for (const id of spine) {
    const path = manifest.get(id)?.path;
    if (path !== undefined && !tocPaths.includes(path)) paths.add(path);
  }
  return paths;
}

function parseRootFilePath(container: string): string {
  let path = "";
  readMarkup(container, {
    open: (name, attributes) =>
      void (name === "rootfile" && path === "" && (path = attributes.get("full-path") ?? "")),
    close() {},
    text() {},
  });
  return path;
}

type EpubPackage = {
  title: string;
  authors: string[];
  /** By id. */
  manifest: Map<string, { path: string; properties: string }>;
  /** Manifest ids of the linear reading order. */
  spine: string[];
  /** Manifest id of the table of contents in EPUB 2. */
  tocId: string;
  coverId: string | undefined;
  /** Path → type of page, in EPUB 2. */
  guide: Map<string, string>;
};

function parsePackage(opf: string, folder: string): EpubPackage {
  const book: EpubPackage = {
    title: "",
    authors: [],
    manifest: new Map(),
    spine: [],
    tocId: "",
    coverId: undefined,
    guide: new Map(),
  };
  let textParts: string[] | undefined;
  readMarkup(opf, {
    open(name, attributes, isSelfClosing) {
      const value = (attributeName: string): string => attributes.get(attributeName) ?? "";
      if (name === "item")
        book.manifest.set(value("id"), {
          path: resolvePath(folder, value("href")),
          properties: value("properties"),
        });
      else if (name === "itemref" && value("linear") !== "no") book.spine.push(value("idref"));
      else if (name === "reference")
        book.guide.set(resolvePath(folder, value("href")), value("type"));
      else if (name === "spine") book.tocId = value("toc");
      else if (name === "meta" && value("name") === "cover") book.coverId ??= value("content");
      else if ((name === "title" || name === "creator") && !isSelfClosing) textParts = [];
    },
    close(name) {
      if (textParts !== undefined && name === "title") book.title ||= joinText(textParts);
      if (textParts !== undefined && name === "creator") book.authors.push(joinText(textParts));
      if (name === "title" || name === "creator") textParts = undefined;
    },
    text: (text) => void textParts?.push(text),
  });
  return book;
}

type TocEntry = { href: string; label: string };

type Navigation = {
  labels: TocEntry[];
  /** Path → type of page. */
  landmarks: Map<string, string>;
};
const noNavigation = (): Navigation => ({ labels: [], landmarks: new Map() });

/** EPUB 3 table of contents and landmarks: links in a page, in a `nav` each. */
function parseNavigation(xhtml: string, path: string): Navigation {
  const navigation = noNavigation();
  let link: { href: string; type: string; textParts: string[] } | undefined;
  let navType = "toc";
  readMarkup(xhtml, {
    open(name, attributes) {
      if (name === "nav") navType = attributes.get("epub:type") ?? "toc";
      if (name === "a")
        link = {
          href: attributes.get("href") ?? "",
          type: attributes.get("epub:type") ?? "",
          textParts: [],
        };
    },
    close(name) {
      if (name !== "a" || link === undefined) return;
      const { href, type, textParts } = link;
      if (/\btoc\b/.test(navType)) navigation.labels.push({ href, label: joinText(textParts) });
      else if (/\blandmarks\b/.test(navType))
        navigation.landmarks.set(resolvePath(parentFolder(path), href), type);
      link = undefined;
    },
    text: (text) => void link?.textParts.push(text),
  });
  return navigation;
}

/** EPUB 2 table of contents: `<navLabel><text>…</text></navLabel><content src="…"/>`. */
function parseNcxLabels(ncx: string): TocEntry[] {
  const labels: TocEntry[] = [];
  let textParts: string[] = [];
  let isLabel = false;
  readMarkup(ncx, {
    open(name, attributes) {
      if (name === "text") textParts = [];
      isLabel = name === "text";
      if (name === "content")
        labels.push({ href: attributes.get("src") ?? "", label: joinText(textParts) });
    },
    close: () => void (isLabel = false),
    text: (text) => void (isLabel && textParts.push(text)),
  });
  return labels;
}

function addEntries(
  byPath: Map<string, TocEntry[]>,
  tocPath: string,
  entries: readonly TocEntry[],
): void {
  for (const entry of entries) {
    const path = resolvePath(parentFolder(tocPath), entry.href);
    if (entry.label === "") continue;
    const ofFile = byPath.get(path);
    if (ofFile === undefined) byPath.set(path, [entry]);
    else ofFile.push(entry);
  }
}

const joinText = (textParts: readonly string[]): string =>
  textParts.join("").replace(/\s+/g, " ").trim();
