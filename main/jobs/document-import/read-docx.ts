// Converts a Word document (.docx) into a script; reads a few files of its archive.

import { AppError } from "../../contract/errors.ts";
import type { CharacterBudget } from "../../text/script/character-budget.ts";
import { divideAtHeadings, joinSections } from "../../text/script/document-sections.ts";
import {
  parseWordProperties,
  parseWordStyles,
  wordToScript,
} from "../../text/script/import-word.ts";
import { readMarkup } from "../../text/script/read-markup.ts";
import type { ImportedDocument } from "../../contract/documents.ts";
import { type Archive, parentFolder, readArchiveText, resolvePath } from "./read-archive.ts";

/** Where nearly every program puts it. */
export const docxBodyPath = "word/document.xml";

/** @throws AppError if it is too large; Error if it is damaged */
export async function readDocx(
  archive: Archive,
  budget: CharacterBudget,
): Promise<ImportedDocument> {
  const readText = (path: string): Promise<string> => readArchiveText(archive, path);
  const bodyPath = (await findPart(archive, "", "officeDocument")) || docxBodyPath;
  const body = await readText(bodyPath);
  if (!/<\/(?:\w+:)?document>\s*$/.test(body.slice(-200)))
    throw new AppError("document.damagedWord");
  const stylesPath = (await findPart(archive, bodyPath, "styles")) || "word/styles.xml";
  const styles = parseWordStyles(await readText(stylesPath));
  const { title, author } = parseWordProperties(await readText("docProps/core.xml"));
  const { title: ownTitle, script } = wordToScript(body, styles, budget);
  return { title: ownTitle || title, author, ...joinSections(divideAtHeadings(script)) };
}

/**
 * The file that another one refers to (Open Packaging Conventions, relationships): programs may name it as they like.
 * @param path of the other one; empty: the document itself
 * @param type the end of the relationship's type
 * @returns empty if it refers to none that is there
 */
async function findPart(archive: Archive, path: string, type: string): Promise<string> {
  const folder = parentFolder(path);
  let found = "";
  readMarkup(await readArchiveText(archive, `${folder}_rels/${path.slice(folder.length)}.rels`), {
    open(name, attributes) {
      if (name === "relationship" && attributes.get("type")?.endsWith(`/${type}`) === true)
        found ||= resolvePath(folder, attributes.get("target") ?? "");
    },
    close() {},
    text() {},
  });
  return archive.names.includes(found) ? found : "";
}
