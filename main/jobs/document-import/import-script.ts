// Converts an untrusted document into a script; name and first bytes decide its type. Runs in a child process
// (import-child.ts); see text/script for the conversions.

import { AppError } from "../../contract/errors.ts";
import { maxScriptCharacters } from "../../contract/narration.ts";
import { type CharacterBudget, createCharacterBudget } from "../../text/script/character-budget.ts";
import { markdownToScript } from "../../text/script/import-markdown.ts";
import { decodeText, subtitlesToScript, textToScript } from "../../text/script/import-text.ts";
import { type ImportedDocument, readEpub } from "./read-epub.ts";

/** For the source of a text: markup and cue times take at most a few times as many characters as the words. */
const maxSourceCharacters = 6 * maxScriptCharacters;

/** @throws AppError if the document is not readable text */
export async function importScript(name: string, bytes: Uint8Array): Promise<ImportedDocument> {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot < 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
  const imported = await parseDocument(extension.toLowerCase(), bytes, createCharacterBudget());
  if (!/[\p{L}\p{N}]/u.test(imported.script)) throw new AppError("document.silent");
  return { ...imported, title: imported.title === "" ? stem : imported.title };
}

async function parseDocument(
  extension: string,
  bytes: Uint8Array,
  budget: CharacterBudget,
): Promise<ImportedDocument> {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return readEpub(bytes, budget);
  if (!["txt", "text", "md", "markdown", "srt", "vtt", ""].includes(extension))
    throw new AppError("document.unknownFormat", {}, { param: "name" });
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
