import {
  Document,
  FootnoteReferenceRun,
  HeadingLevel,
  Packer,
  PageNumber,
  Header,
  Paragraph,
  Table,
  TableCell,
  TableOfContents,
  TableRow,
  TextRun,
} from "docx";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { importScript } from "../../../../main/jobs/document-import/import-script.ts";

const row = (cells: readonly string[], tableHeader = false): TableRow =>
  new TableRow({
    tableHeader,
    children: cells.map((cell) => new TableCell({ children: [new Paragraph(cell)] })),
  });

async function wordBytes(): Promise<Uint8Array> {
  const document = new Document({
    title: "From its properties",
    creator: "Jane Doe",
    footnotes: { 1: { children: [new Paragraph("A footnote.")] } },
    sections: [
      {
        headers: {
          default: new Header({
            children: [
              new Paragraph({
                children: [new TextRun({ children: ["Head ", PageNumber.CURRENT] })],
              }),
            ],
          }),
        },
        children: [
          new Paragraph({ text: "The Title", heading: HeadingLevel.TITLE }),
          new TableOfContents("Contents"),
          new Paragraph({ text: "One", heading: HeadingLevel.HEADING_1 }),
          new Paragraph({
            children: [
              new TextRun("They lit it."),
              new TextRun({ text: "1", superScript: true }),
              new FootnoteReferenceRun(1),
              new TextRun(" It was 5 m"),
              new TextRun({ text: "2", superScript: true }),
              new TextRun({ text: " hidden", vanish: true }),
              new TextRun(" & dark."),
            ],
          }),
          new Table({ rows: [row(["Name", "Age"], true), row(["Ann", "30"]), row(["Bob", "41"])] }),
          new Paragraph({ text: "Two", heading: HeadingLevel.HEADING_1 }),
          new Paragraph("The end."),
        ],
      },
    ],
  });
  return Packer.toBuffer(document);
}

it("reads headings, paragraphs and tables of a Word document, without notes and hidden text", async () => {
  const { title, author, script, chapters } = await importScript("a.docx", await wordBytes());
  expect({ title, author }).toEqual({ title: "The Title", author: "Jane Doe" });
  expect(script.split("\n\n")).toEqual([
    "The Title",
    "# One",
    "They lit it. It was 5 m² & dark.",
    "Ann: Age 30.",
    "Bob: Age 41.",
    "# Two",
    "The end.",
  ]);
  expect(chapters?.map((chapter) => chapter.title)).toEqual(["", "One", "Two"]);
});

it("finds the text and the styles where the document says they are", async () => {
  const { script } = await importScript("a.docx", await wordBytes());
  const renamed = Object.entries(unzipSync(await wordBytes())).map(
    ([name, bytes]): [string, Uint8Array] => [
      name.replace(/(document|styles)\.xml/, "$12.xml"),
      /\.(?:xml|rels)$/.test(name)
        ? strToU8(strFromU8(bytes).replace(/(document|styles)\.xml/g, "$12.xml"))
        : bytes,
    ],
  );
  const moved = await importScript("a.docx", zipSync(Object.fromEntries(renamed)));
  expect(moved.script).toBe(script);
});

it("names what is wrong with a Word document that cannot be read", async () => {
  const bytes = await wordBytes();
  const container = Buffer.from("d0cf11e0a1b11ae1", "hex");
  const cases = {
    "document.damagedWord": bytes.subarray(0, bytes.length / 2),
    "document.oldWord": Buffer.concat([container, Buffer.from("WordDocument", "utf16le")]),
    "document.encryptedWord": Buffer.concat([
      container,
      Buffer.from("EncryptedPackage", "utf16le"),
    ]),
  };
  for (const [id, damaged] of Object.entries(cases))
    await expect(importScript("a.docx", damaged)).rejects.toMatchObject({ sent: { id } });
  await expect(importScript("a.doc", Buffer.from("{\\rtf1 text}"))).rejects.toMatchObject({
    sent: { id: "document.oldWord" },
  });
  await expect(importScript("a.docx", Buffer.from("hello"))).rejects.toMatchObject({
    sent: { id: "document.damagedWord" },
  });
});
