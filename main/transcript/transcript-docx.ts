// A transcript as a Word document.

import { formatNote, formatSpeakerTime, toXmlText } from "./paragraph-heading.ts";
import { type LaidOutTranscript, notesAfter } from "./paragraphs.ts";

export async function toDocx(laidOut: LaidOutTranscript): Promise<Uint8Array<ArrayBuffer>> {
  const { title, paragraphs, hasTimes } = laidOut;
  // Imported on demand: it is large and rarely used.
  const { Document, HeadingLevel, Packer, Paragraph, TextRun } = await import("docx");
  const heading = new Paragraph({
    heading: HeadingLevel.TITLE,
    children: [new TextRun(toXmlText(title))],
  });
  const body = paragraphs.flatMap((paragraph, index) => {
    const paragraphHeading = formatSpeakerTime(paragraph, hasTimes);
    const children = [
      ...(paragraphHeading === ""
        ? []
        : [new TextRun({ text: toXmlText(paragraphHeading), bold: true })]),
      new TextRun(toXmlText(paragraph.text)),
    ];
    const notes = notesAfter(laidOut, index).map(
      (note) => new TextRun({ text: toXmlText(formatNote(note)), italics: true }),
    );
    return [children, ...notes.map((note) => [note])].map(
      (runs) => new Paragraph({ spacing: { after: 160 }, children: runs }),
    );
  });
  const file = new Document({
    title: toXmlText(title),
    creator: "Hearsay",
    sections: [{ children: [heading, ...body] }],
  });
  return Buffer.from(await Packer.toArrayBuffer(file));
}
