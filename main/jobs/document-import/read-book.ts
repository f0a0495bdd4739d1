// An electronic book, EPUB 2 or 3, as a script: container → package → spine, chapter by chapter in reading order. Each
// file of the archive is read at most once, however often the book names it.

import { AppError } from "../../contract/errors.ts";
import { pictureKind } from "../../audio/codec/picture.ts";
import type { CharacterBudget } from "../../text/script/character-budget.ts";
import { decodeText, type ImportedScript } from "../../text/script/import-text.ts";
import { scriptOfXhtml } from "../../text/script/import-xhtml.ts";
import { readMarkup } from "../../text/script/read-markup.ts";
import { type Archive, openArchive } from "./read-archive.ts";

/** `cover` is JPEG or PNG, base64. */
export type ImportedBook = ImportedScript & { cover?: string };

/** The largest books have a few thousand files and some dozen megabytes of text. */
const archiveLimits = { maxEntries: 20_000, maxBytes: 200 * 2 ** 20 };
/** What a narration takes as its cover goes by JSON: a larger one is left out. */
const maxCoverBytes = 10 * 2 ** 20;

/** @throws AppError where it is no book, is locked, or too large */
export async function readBook(bytes: Uint8Array, budget: CharacterBudget): Promise<ImportedBook> {
  try {
    const archive = await openArchive(bytes, archiveLimits);
    try {
      return await bookIn(archive, budget);
    } finally {
      archive.close();
    }
  } catch (error) {
    throw error instanceof AppError
      ? error
      : new AppError("unsupported_format", "The archive is no EPUB book, or a damaged one.");
  }
}

async function bookIn(archive: Archive, budget: CharacterBudget): Promise<ImportedBook> {
  const textOf = async (path: string): Promise<string> => {
    const file = await archive.read(path);
    return file === undefined ? "" : decodeText(file);
  };
  if (/xmlenc#(?:aes|kw)/i.test(await textOf("META-INF/encryption.xml")))
    throw new AppError(
      "unsupported_format",
      "The book is locked by its publisher (DRM): its text cannot be read.",
    );
  const packagePath = rootFile(await textOf("META-INF/container.xml"));
  const opf = await textOf(packagePath);
  if (opf === "")
    throw new AppError("unsupported_format", "The archive is no EPUB book, or a damaged one.");
  const book = readPackage(opf, folderOf(packagePath));
  const labels = new Map<string, string>();
  const navPath =
    [...book.manifest.values()].find(({ properties }) => /\bnav\b/.test(properties))?.path ?? "";
  const ncxPath =
    book.manifest.get(book.tocId)?.path ??
    archive.names.find((path) => path.endsWith(".ncx")) ??
    "";
  addLabels(labels, navPath, navLabels(await textOf(navPath)));
  if (ncxPath !== navPath) addLabels(labels, ncxPath, ncxLabels(await textOf(ncxPath)));

  const chapters: string[] = [];
  for (const path of chapterPaths(book, [navPath, ncxPath])) {
    const script = scriptOfXhtml(await textOf(path), budget);
    const label = labels.get(path);
    if (script !== "")
      chapters.push(
        label === undefined || /^#{1,6} /m.test(script) ? script : `# ${label}\n\n${script}`,
      );
  }
  const coverPath =
    [...book.manifest.values()].find(({ properties }) => /\bcover-image\b/.test(properties))
      ?.path ?? book.manifest.get(book.coverId ?? "")?.path;
  // Of its pictures that one alone: a book may have hundreds.
  const cover =
    coverPath === undefined || chapters.length === 0 ? undefined : await archive.read(coverPath);
  const isShown =
    cover !== undefined && cover.length <= maxCoverBytes && pictureKind(cover) !== undefined;
  return {
    title: book.title,
    author: book.authors.join(", "),
    script: chapters.join("\n\n"),
    ...(isShown ? { cover: Buffer.from(cover).toString("base64") } : {}),
  };
}

/** In reading order, each once. The table of contents is no chapter. */
function chapterPaths({ spine, manifest }: BookPackage, contents: readonly string[]): Set<string> {
  const paths = new Set<string>();
  for (const id of spine) {
    const path = manifest.get(id)?.path;
    if (path !== undefined && !contents.includes(path)) paths.add(path);
  }
  return paths;
}

function rootFile(container: string): string {
  let path = "";
  readMarkup(container, {
    open: (name, attributes) =>
      void (name === "rootfile" && path === "" && (path = attributes.get("full-path") ?? "")),
    close() {},
    text() {},
  });
  return path;
}

type BookPackage = {
  title: string;
  authors: string[];
  /** By id. */
  manifest: Map<string, { path: string; properties: string }>;
  /** Ids of what is read from beginning to end. */
  spine: string[];
  /** Of the table of contents of an EPUB 2. */
  tocId: string;
  coverId: string | undefined;
};

function readPackage(opf: string, folder: string): BookPackage {
  const book: BookPackage = {
    title: "",
    authors: [],
    manifest: new Map(),
    spine: [],
    tocId: "",
    coverId: undefined,
  };
  let pieces: string[] | undefined;
  readMarkup(opf, {
    open(name, attributes, isSelfClosing) {
      const value = (of: string): string => attributes.get(of) ?? "";
      if (name === "item")
        book.manifest.set(value("id"), {
          path: resolved(folder, value("href")),
          properties: value("properties"),
        });
      else if (name === "itemref" && value("linear") !== "no") book.spine.push(value("idref"));
      else if (name === "spine") book.tocId = value("toc");
      else if (name === "meta" && value("name") === "cover") book.coverId ??= value("content");
      else if ((name === "title" || name === "creator") && !isSelfClosing) pieces = [];
    },
    close(name) {
      if (pieces !== undefined && name === "title") book.title ||= plain(pieces);
      if (pieces !== undefined && name === "creator") book.authors.push(plain(pieces));
      if (name === "title" || name === "creator") pieces = undefined;
    },
    text: (text) => void pieces?.push(text),
  });
  return book;
}

type Label = { href: string; label: string };

/** The table of contents of an EPUB 3: links in a page. */
function navLabels(nav: string): Label[] {
  const labels: Label[] = [];
  let link: { href: string; pieces: string[] } | undefined;
  readMarkup(nav, {
    open: (name, attributes) =>
      void (name === "a" && (link = { href: attributes.get("href") ?? "", pieces: [] })),
    close(name) {
      if (name !== "a" || link === undefined) return;
      labels.push({ href: link.href, label: plain(link.pieces) });
      link = undefined;
    },
    text: (text) => void link?.pieces.push(text),
  });
  return labels;
}

/** That of an EPUB 2: `<navLabel><text>…</text></navLabel><content src="…"/>`. */
function ncxLabels(ncx: string): Label[] {
  const labels: Label[] = [];
  let pieces: string[] = [];
  let isLabel = false;
  readMarkup(ncx, {
    open(name, attributes) {
      if (name === "text") pieces = [];
      isLabel = name === "text";
      if (name === "content")
        labels.push({ href: attributes.get("src") ?? "", label: plain(pieces) });
    },
    close: () => void (isLabel = false),
    text: (text) => void (isLabel && pieces.push(text)),
  });
  return labels;
}

/** The first heading of each file, for chapters that do not say it themselves. */
function addLabels(labels: Map<string, string>, from: string, found: readonly Label[]): void {
  for (const { href, label } of found) {
    const path = resolved(folderOf(from), href);
    if (label !== "" && !labels.has(path)) labels.set(path, label);
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

const plain = (pieces: readonly string[]): string => pieces.join("").replace(/\s+/g, " ").trim();

/** A place in the archive, from an address relative to `base`, which ends with `/` or is empty. */
function resolved(base: string, href: string): string {
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
