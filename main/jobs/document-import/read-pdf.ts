// Converts a PDF into a script; PDF.js reads its pages one at a time.

import { getDocumentProxy } from "unpdf";
import type { ImportedDocument } from "../../contract/documents.ts";
import { AppError } from "../../contract/errors.ts";
import type { CharacterBudget } from "../../text/script/character-budget.ts";
import { divideAtHeadings, joinSections } from "../../text/script/document-sections.ts";
import { pdfToScript } from "../../text/script/import-pdf.ts";
import { outlineKey, type PdfOutline } from "../../text/script/pdf-headings.ts";
import type { PdfPage, PdfTextRun } from "../../text/script/pdf-lines.ts";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type PdfPageProxy = Awaited<ReturnType<PdfDocument["getPage"]>>;

const maxOutlineEntries = 5000;
/** Titles that programs write by themselves. */
const generatedTitlePattern =
  /^(?:microsoft word|untitled|unbenannt)|\.(?:docx?|odt|tex|indd|dvi|html?|pdf|txt)$|^\S*:\/\//i;

/** @throws AppError if it is encrypted, damaged, without text, or too long */
export async function readPdf(
  bytes: Uint8Array,
  budget: CharacterBudget,
): Promise<ImportedDocument> {
  const pdf = await openPdf(bytes);
  try {
    const pages: PdfPage[] = [];
    const fonts: BoldFonts = new Map();
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      pages.push(await readPage(page, fonts));
      page.cleanup();
    }
    if (!pages.some(({ textRuns }) => textRuns.some(({ text }) => /[\p{L}\p{N}]/u.test(text))))
      throw new AppError("document.scannedPdf");
    const script = pdfToScript(pages, await readOutline(pdf), budget);
    return { ...(await readDetails(pdf)), ...joinSections(divideAtHeadings(script)) };
  } catch (error) {
    throw error instanceof AppError
      ? error
      : new AppError("document.damagedPdf", {}, { cause: error });
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // PDF.js takes the buffer over.
    return await getDocumentProxy(Uint8Array.from(bytes), {
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
      // Pictures are not wanted.
      maxImageSize: 1,
    });
  } catch (error) {
    const isEncrypted = error instanceof Error && error.name === "PasswordException";
    throw new AppError(isEncrypted ? "document.encryptedPdf" : "document.damagedPdf");
  }
}

/** Whether a font of the document is bold, by the name that PDF.js gives it. */
type BoldFonts = Map<string, boolean>;

/** "Medi" is the bold face of Times in LaTeX, CMBX that of Computer Modern. */
const boldFontPattern = /bold|black|heavy|demi|medi(?:ital)?$|^(?:[A-Z]{6}\+)?(?:CM|SF)(?:SS?)?BX/i;

/** PDF.js tells the names of fonts once it has read what a page draws. */
async function findBoldFonts(
  page: PdfPageProxy,
  names: ReadonlySet<string>,
  fonts: BoldFonts,
): Promise<void> {
  const added = [...names].filter((name) => !fonts.has(name));
  if (added.length === 0) return;
  // Drawings may be damaged though the text is not.
  await page.getOperatorList().catch(() => undefined);
  for (const name of added) {
    const font: unknown = page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined;
    fonts.set(name, boldFontPattern.test((font as { name?: string } | undefined)?.name ?? ""));
  }
}

async function readPage(page: PdfPageProxy, fonts: BoldFonts): Promise<PdfPage> {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent({ includeMarkedContent: true });
  const fontNames = new Set(items.flatMap((item) => ("fontName" in item ? item.fontName : [])));
  await findBoldFonts(page, fontNames, fonts);
  const textRuns: PdfTextRun[] = [];
  /** Tags of open marked content; artifacts are running heads, page numbers and decoration. */
  const tags: boolean[] = [];
  for (const item of items) {
    if (!("str" in item)) {
      if (item.type === "endMarkedContent") tags.pop();
      else tags.push((tags.at(-1) ?? false) || ("tag" in item && item.tag === "Artifact"));
      continue;
    }
    if (tags.at(-1) === true || item.str === "") continue;
    const [a, b, c, d, x, y] = multiply(transform as number[], item.transform as number[]);
    const size = Math.hypot(c, d);
    // Text up the margin, and watermarks across the page.
    if (Math.abs(b) > 0.1 * Math.abs(a) || a <= 0 || size === 0) continue;
    const isBold = fonts.get(item.fontName) ?? false;
    textRuns.push({ text: item.str, x, y, width: item.width, size, isBold });
  }
  return { widthPt: width, heightPt: height, textRuns };
}

type Matrix = [number, number, number, number, number, number];

/** Both as PDF has them: `[a b c d e f]`. */
function multiply(left: readonly number[], right: readonly number[]): Matrix {
  const [a1 = 0, b1 = 0, c1 = 0, d1 = 0, e1 = 0, f1 = 0] = left;
  const [a2 = 0, b2 = 0, c2 = 0, d2 = 0, e2 = 0, f2 = 0] = right;
  return [
    a1 * a2 + c1 * b2,
    b1 * a2 + d1 * b2,
    a1 * c2 + c1 * d2,
    b1 * c2 + d1 * d2,
    a1 * e2 + c1 * f2 + e1,
    b1 * e2 + d1 * f2 + f1,
  ];
}

async function readOutline(pdf: PdfDocument): Promise<PdfOutline> {
  const depths = new Map<string, number>();
  // Bookmarks may be damaged though the text is not.
  let level = (await pdf.getOutline().catch(() => undefined)) ?? [];
  for (let depth = 0; level.length > 0 && depths.size < maxOutlineEntries; depth++) {
    for (const { title } of level) {
      const key = outlineKey(title);
      if (key !== "" && !depths.has(key)) depths.set(key, depth);
    }
    level = level.flatMap(({ items }) => items as typeof level);
  }
  return depths;
}

async function readDetails(pdf: PdfDocument): Promise<{ title: string; author: string }> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const read = (name: string): string => {
    const value = (info as Record<string, unknown>)[name];
    return typeof value === "string" ? value.trim() : "";
  };
  const title = read("Title");
  return { title: generatedTitlePattern.test(title) ? "" : title, author: read("Author") };
}
