// Documents that can be read as scripts of narrations, and what is read from them.

import { z } from "zod";
import { headingMarkPattern } from "./script-marks.ts";

/** File name extensions; the only list of them. */
export const documentExtensions = [
  "txt",
  "text",
  "md",
  "markdown",
  "srt",
  "vtt",
  "epub",
  "docx",
  "pdf",
] as const;

/** Of formats that are not text. */
const packedNamePattern = /\.(?:epub|docx?|pdf)$/i;
export const isPackedDocumentName = (name: string): boolean => packedNamePattern.test(name);

/** For messages: one name of each format. */
export const documentFormatList = documentExtensions
  .filter((extension) => extension !== "text" && extension !== "markdown")
  .map((extension) => `.${extension}`)
  .join(", ");

const chapter = z.object({
  /** Empty for what comes before the first heading. */
  title: z.string(),
  /** UTF-16 offset in `script`; a chapter ends where the next one starts. */
  start: z.int(),
  /** Not a title page, an imprint, a table of contents, and so on. */
  isText: z.boolean(),
});
export type DocumentChapter = z.infer<typeof chapter>;

export const importedDocument = z.object({
  title: z.string(),
  author: z.string(),
  script: z.string(),
  /** Of books and documents with at least two. */
  chapters: z.array(chapter).optional(),
  /** JPEG or PNG, base64. */
  cover: z.string().optional(),
});
export type ImportedDocument = z.infer<typeof importedDocument>;

/** The parts of the script in these chapters. */
export function scriptOfChapters(
  { script, chapters = [] }: Pick<ImportedDocument, "script" | "chapters">,
  isSelected: (index: number) => boolean,
): string {
  return chapters
    .map(({ start }, index) =>
      isSelected(index) ? script.slice(start, chapters[index + 1]?.start).trim() : "",
    )
    .filter(Boolean)
    .join("\n\n");
}

/** To be spoken as it is: without the marks of headings, and without chapters that are no text. */
export function textOfDocument(document: ImportedDocument): string {
  const { script, chapters = [] } = document;
  const hasText = chapters.some(({ isText }) => isText);
  const spokenScript = hasText
    ? scriptOfChapters(document, (index) => chapters[index]?.isText === true)
    : script;
  return spokenScript
    .split("\n")
    .map((line) => line.replace(headingMarkPattern, ""))
    .join("\n");
}
