// Converts an EPUB 2 or 3 into a script: container, package, spine, then chapters in reading order. Reads each file of
// the archive at most once, even if the book references it repeatedly.

import { AppError } from "../../contract/errors.ts";
import { parseImageHeader } from "../../audio/codec/image-header.ts";
import type { CharacterBudget } from "../../text/script/character-budget.ts";
import { decodeText, type ImportedScript } from "../../text/script/import-text.ts";
import { xhtmlToScript } from "../../text/script/import-xhtml.ts";
import { readMarkup } from "../../text/script/read-markup.ts";
import { type Archive, openArchive } from "./read-archive.ts";

/** `cover` is JPEG or PNG, base64. */
export type ImportedDocument = ImportedScript & { cover?: string };

/** The largest books have a few thousand files and tens of megabytes of text. */
const archiveLimits = { maxEntries: 20_000, maxBytes: 200 * 2 ** 20 };
/** Covers are sent as JSON: a larger one is omitted. */
const maxCoverBytes = 10 * 2 ** 20;

/** @throws AppError if it is not an EPUB, is locked by DRM, or is too large */
export async function readEpub(
  bytes: Uint8Array,
  budget: CharacterBudget,
): Promise<ImportedDocument> {
  try {
    const archive = await openArchive(bytes, archiveLimits);
    try {
      return await readContents(archive, budget);
    } finally {
      archive.close();
    }
  } catch (error) {
    throw error instanceof AppError ? error : new AppError("document.noEpub");
  }
}

async function readContents(archive: Archive, budget: CharacterBudget): Promise<ImportedDocument> {
  const readText = async (path: string): Promise<string> => {
    const file = await archive.read(path);
    return file === undefined ? "" : decodeText(file);
  };
  if (/xmlenc#(?:aes|kw)/i.test(await readText("META-INF/encryption.xml")))
    throw new AppError("document.locked");
  const packagePath = parseRootFilePath(await readText("META-INF/container.xml"));
  const opf = await readText(packagePath);
  if (opf === "") throw new AppError("document.noEpub");
  const book = parsePackage(opf, parentFolder(packagePath));
  const labels = new Map<string, string>();
  const navPath =
    [...book.manifest.values()].find(({ properties }) => /\bnav\b/.test(properties))?.path ?? "";
  const ncxPath =
    book.manifest.get(book.tocId)?.path ??
    archive.names.find((path) => path.endsWith(".ncx")) ??
    "";
  addLabels(labels, navPath, parseNavLabels(await readText(navPath)));
  if (ncxPath !== navPath) addLabels(labels, ncxPath, parseNcxLabels(await readText(ncxPath)));

  const chapters: string[] = [];
  for (const path of chapterPaths(book, [navPath, ncxPath])) {
    const script = xhtmlToScript(await readText(path), budget);
    const label = labels.get(path);
    if (script !== "")
      chapters.push(
        label === undefined || /^#{1,6} /m.test(script) ? script : `# ${label}\n\n${script}`,
      );
  }
  const coverPath =
    [...book.manifest.values()].find(({ properties }) => /\bcover-image\b/.test(properties))
      ?.path ?? book.manifest.get(book.coverId ?? "")?.path;
  // Reads no other image: a book may have hundreds.
  const cover =
    coverPath === undefined || chapters.length === 0 ? undefined : await archive.read(coverPath);
  const isUsableCover =
    cover !== undefined && cover.length <= maxCoverBytes && parseImageHeader(cover) !== undefined;
  return {
    title: book.title,
    author: book.authors.join(", "),
    script: chapters.join("\n\n"),
    ...(isUsableCover ? { cover: Buffer.from(cover).toString("base64") } : {}),
  };
}

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
};

function parsePackage(opf: string, folder: string): EpubPackage {
  const book: EpubPackage = {
    title: "",
    authors: [],
    manifest: new Map(),
    spine: [],
    tocId: "",
    coverId: undefined,
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

/** EPUB 3 table of contents: links in a page. */
function parseNavLabels(nav: string): TocEntry[] {
  const labels: TocEntry[] = [];
  let link: { href: string; textParts: string[] } | undefined;
  readMarkup(nav, {
    open: (name, attributes) =>
      void (name === "a" && (link = { href: attributes.get("href") ?? "", textParts: [] })),
    close(name) {
      if (name !== "a" || link === undefined) return;
      labels.push({ href: link.href, label: joinText(link.textParts) });
      link = undefined;
    },
    text: (text) => void link?.textParts.push(text),
  });
  return labels;
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

/** Keeps the first label of each file, for chapters without a heading. */
function addLabels(
  labels: Map<string, string>,
  tocPath: string,
  entries: readonly TocEntry[],
): void {
  for (const { href, label } of entries) {
    const path = resolvePath(parentFolder(tocPath), href);
    if (label !== "" && !labels.has(path)) labels.set(path, label);
  }
}

const parentFolder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

const joinText = (textParts: readonly string[]): string =>
  textParts.join("").replace(/\s+/g, " ").trim();

/** Path in the archive, from an address relative to `base`, which ends with `/` or is empty. */
function resolvePath(base: string, href: string): string {
  try {
    return decodeURIComponent(
      new URL(href, `epub:///${base.split("/").map(encodeURIComponent).join("/")}`).pathname.slice(
        1,
      ),
    );
  } catch {
    return "";
  }
}
