// A transcript as a PDF file for reading and printing: A4, with page numbers.

import { runInSlices } from "../processes/time-slices.ts";
import { formatSpeakerTime, toXmlText } from "./paragraph-heading.ts";
import type { LaidOutTranscript } from "./paragraphs.ts";
import type { Bidi } from "bidi-js";
import { openPdfFonts, type PdfFont, type PdfFonts } from "./pdf-fonts.ts";
import { breakLines, type LineBreaking, type LineRun } from "./pdf-lines.ts";

/** In points. */
const margin = 64;
const titleSize = 20;
const textSize = 11;
const footerSize = 9;
const lineHeight = 1.5;

/** @throws AppError if a character is in no font */
export async function toPdf(
  transcript: LaidOutTranscript,
  openFonts: () => Promise<PdfFonts> = openPdfFonts,
): Promise<Uint8Array<ArrayBuffer>> {
  // Imported on demand: they are large and rarely used.
  const [{ default: PDFDocument }, { default: createBidi }, fonts] = await Promise.all([
    import("pdfkit"),
    import("bidi-js"),
    openFonts(),
  ]);
  const { title } = transcript;
  const doc = new PDFDocument({
    size: "A4",
    margin,
    autoFirstPage: false,
    lang: transcript.language,
    displayTitle: true,
    info: { Title: title, Creator: "Hearsay" },
    // Undefined would be Helvetica, whose metrics would be read from a file.
    font: null as unknown as string,
  });
  const chunks: Uint8Array[] = [];
  doc.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const finished = new Promise<void>((resolve, reject) => {
    doc.on("end", resolve);
    doc.on("error", reject);
  });
  await runInSlices(
    drawTranscript(doc, transcript, fonts, (createBidi as unknown as () => Bidi)()),
  );
  doc.end();
  await finished;
  return Buffer.concat(chunks);
}

/** Yields after each line. */
function* drawTranscript(
  doc: PDFKit.PDFDocument,
  { title, paragraphs, hasTimes }: LaidOutTranscript,
  fonts: PdfFonts,
  bidi: Bidi,
): Generator<undefined, void> {
  let pageNumber = 0;
  let y = 0;
  const addPage = (): void => {
    doc.addPage();
    pageNumber += 1;
    y = margin;
    useFont(doc, fonts.find("0", false), footerSize);
    const label = String(pageNumber);
    const x = (doc.page.width - doc.widthOfString(label)) / 2;
    drawText(doc, { text: label, isRightToLeft: false }, x, doc.page.height - margin / 2);
  };
  function* drawParagraph(text: string, boldEnd: number, size: number): Generator<undefined, void> {
    const maxWidth = doc.page.width - 2 * margin;
    const breaking: LineBreaking = {
      fonts,
      bidi,
      maxWidth,
      measure: (font, part, isRightToLeft) => {
        useFont(doc, font, size);
        return doc.widthOfString(part, textOptions(isRightToLeft));
      },
    };
    for (const { runs, isRightToLeft } of breakLines(text, boldEnd, breaking)) {
      if (y + size * lineHeight > doc.page.height - margin) addPage();
      const width = runs.reduce((sum, run) => sum + run.width, 0);
      let x = isRightToLeft ? doc.page.width - margin - width : margin;
      for (const run of runs) {
        useFont(doc, run.font, size);
        drawText(doc, run, x, y + size);
        x += run.width;
      }
      y += size * lineHeight;
      yield;
    }
    y += size * (lineHeight / 2);
  }
  addPage();
  const shownTitle = toXmlText(title);
  yield* drawParagraph(shownTitle, shownTitle.length, titleSize);
  for (const paragraph of paragraphs) {
    const heading = toXmlText(formatSpeakerTime(paragraph, hasTimes));
    yield* drawParagraph(heading + toXmlText(paragraph.text), heading.length, textSize);
  }
}

function useFont(doc: PDFKit.PDFDocument, font: PdfFont, size: number): void {
  const { name, bytes, postscriptName } = font;
  doc.registerFont(name, bytes as Buffer, postscriptName).font(name, size);
}

/** With a feature named, a run is shaped as a whole, which turns right-to-left text around, instead of word by word. */
const textOptions = (isRightToLeft: boolean): PDFKit.Mixins.TextOptions => ({
  lineBreak: false,
  baseline: "alphabetic",
  ...(isRightToLeft ? { features: ["kern"] } : {}),
});

const drawText = (
  doc: PDFKit.PDFDocument,
  { text, isRightToLeft }: Pick<LineRun, "text" | "isRightToLeft">,
  x: number,
  baselineY: number,
): PDFKit.PDFDocument => doc.text(text, x, baselineY, textOptions(isRightToLeft));
