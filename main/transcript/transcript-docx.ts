// A transcript as a Word document.

import { formatSpeakerTime, toXmlText } from "./paragraph-heading.ts";
import type { LaidOutTranscript } from "./paragraphs.ts";

export async function toDocx({
  title,
  paragraphs,
  hasTimes,
}: LaidOutTranscript): Promise<Uint8Array<ArrayBuffer>> {
  // Imported on demand: it is large and rarely used.
  const { Document, HeadingLevel, Packer, Paragraph, TextRun } = await import("docx");
  const heading = new Paragraph({
    heading: HeadingLevel.TITLE,
    children: [new TextRun(toXmlText(title))],
  });
  const body = paragraphs.map((paragraph) => {
    const paragraphHeading = formatSpeakerTime(paragraph, hasTimes);
    const children = [
      ...(paragraphHeading === ""
        ? []
        : [new TextRun({ text: toXmlText(paragraphHeading), bold: true })]),
      new TextRun(toXmlText(paragraph.text)),
    ];
    return new Paragraph({ spacing: { after: 160 }, children });
  });
  const file = new Document({
    title: toXmlText(title),
    creator: "Hearsay",
    sections: [{ children: [heading, ...body] }],
  });
  return Buffer.from(await Packer.toArrayBuffer(file));
}
