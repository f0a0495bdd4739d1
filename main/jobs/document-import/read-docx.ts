// Converts a Word document (.docx) into a script; reads three files of its archive.

import { AppError } from "../../contract/errors.ts";
import type { CharacterBudget } from "../../text/script/character-budget.ts";
import { divideAtHeadings, joinSections } from "../../text/script/document-sections.ts";
import {
  parseWordProperties,
  parseWordStyles,
  wordToScript,
} from "../../text/script/import-word.ts";
import type { ImportedDocument } from "../../contract/documents.ts";
import { type Archive, readArchiveText } from "./read-archive.ts";

export const docxBodyPath = "word/document.xml";

/** @throws AppError if it is too large; Error if it is damaged */
export async function readDocx(
  archive: Archive,
  budget: CharacterBudget,
): Promise<ImportedDocument> {
  const readText = (path: string): Promise<string> => readArchiveText(archive, path);
  const body = await readText(docxBodyPath);
  if (!/<\/(?:\w+:)?document>\s*$/.test(body.slice(-200)))
    throw new AppError("document.damagedWord");
  const styles = parseWordStyles(await readText("word/styles.xml"));
  const { title, author } = parseWordProperties(await readText("docProps/core.xml"));
  const { title: ownTitle, script } = wordToScript(body, styles, budget);
  return { title: ownTitle || title, author, ...joinSections(divideAtHeadings(script)) };
}
