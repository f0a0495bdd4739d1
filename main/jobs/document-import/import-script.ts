// Converts an untrusted document into a script; name and first bytes decide its type. Runs in a child process
// (import-child.ts); see text/script for the conversions.

import {
  documentExtensions,
  documentFormatList,
  type ImportedDocument,
} from "../../contract/documents.ts";
import { AppError } from "../../contract/errors.ts";
import { maxScriptCharacters } from "../../contract/narration.ts";
import { type CharacterBudget, createCharacterBudget } from "../../text/script/character-budget.ts";
import { markdownToScript } from "../../text/script/import-markdown.ts";
import { decodeText, subtitlesToScript, textToScript } from "../../text/script/import-text.ts";
import { openArchive } from "./read-archive.ts";
import { docxBodyPath, readDocx } from "./read-docx.ts";
import { readEpub } from "./read-epub.ts";
import { readPdf } from "./read-pdf.ts";

/** For the source of a text: markup and cue times take at most a few times as many characters as the words. */
const maxSourceCharacters = 6 * maxScriptCharacters;
/** The largest books have a few thousand files and tens of megabytes of text. */
const archiveLimits = { maxEntries: 20_000, maxBytes: 200 * 2 ** 20 };
/** A PDF may have other bytes in front. */
const maxPdfStart = 1024;

/** Of titles and authors. */
const maxNameLength = 1000;

/** @throws AppError if the document is not readable text */
export async function importScript(name: string, bytes: Uint8Array): Promise<ImportedDocument> {
  if (bytes.length === 0) throw new AppError("document.silent");
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot < 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
  const imported = await parseDocument(extension.toLowerCase(), bytes, createCharacterBudget());
  if (!/[\p{L}\p{N}]/u.test(imported.script)) throw new AppError("document.silent");
  const { title, author } = imported;
  return {
    ...imported,
    title: (title === "" ? stem : title).slice(0, maxNameLength),
    author: author.slice(0, maxNameLength),
  };
}

async function parseDocument(
  extension: string,
  bytes: Uint8Array,
  budget: CharacterBudget,
): Promise<ImportedDocument> {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, maxPdfStart));
  if (start.toString("latin1", 0, 2) === "PK") return parseArchive(extension, bytes, budget);
  if (extension === "pdf" || start.includes("%PDF-")) return readPdf(bytes, budget);
  if (extension === "docx" || extension === "doc") throw wordError(extension, bytes);
  if (extension !== "" && !documentExtensions.includes(extension as "txt"))
    throw new AppError(
      "document.unknownFormat",
      { formats: documentFormatList },
      { param: "name" },
    );
  if (extension === "epub") throw new AppError("document.noEpub");
  const text = decodeText(bytes);
  if (text.slice(0, 10_000).includes("\0"))
    throw new AppError("document.binary", {}, { param: "name" });
  createCharacterBudget(maxSourceCharacters).consume(text.length);
  if (extension === "md" || extension === "markdown") return markdownToScript(text, budget);
  if (extension === "srt" || extension === "vtt")
    return { title: "", author: "", script: subtitlesToScript(text, budget) };
  const script = textToScript(text);
  budget.consume(script.length);
  return { title: "", author: "", script };
}

/** EPUB or DOCX, by what is in it. */
async function parseArchive(
  extension: string,
  bytes: Uint8Array,
  budget: CharacterBudget,
): Promise<ImportedDocument> {
  const damaged = extension === "docx" ? "document.damagedWord" : "document.noEpub";
  try {
    const archive = await openArchive(bytes, archiveLimits);
    try {
      const isWord = extension === "docx" || archive.names.includes(docxBodyPath);
      return await (isWord ? readDocx : readEpub)(archive, budget);
    } finally {
      archive.close();
    }
  } catch (error) {
    throw error instanceof AppError ? error : new AppError(damaged);
  }
}

/** Files of Word before 2007 and encrypted ones of today are in the same kind of container. */
function wordError(extension: string, bytes: Uint8Array): AppError {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isContainer = content.subarray(0, 4).toString("hex") === "d0cf11e0";
  if (isContainer && content.includes(Buffer.from("EncryptedPackage", "utf16le")))
    return new AppError("document.encryptedWord");
  return isContainer || extension === "doc"
    ? new AppError("document.oldWord")
    : new AppError("document.damagedWord");
}
