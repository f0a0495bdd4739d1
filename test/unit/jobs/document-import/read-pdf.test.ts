import { expect, it } from "vitest";
import { importScript } from "../../../../main/jobs/document-import/import-script.ts";
import { pdfBytes, type PdfTextLine } from "../../../support/pdf-bytes.ts";

/** A page of a book with a running head and a number, its lines 14 points apart. */
const bookPage = (number: number, lines: readonly (string | PdfTextLine)[]): PdfTextLine[] => [
  { text: number % 2 === 0 ? `${number}  The Long Book` : `Jane Doe  ${number}`, y: 40, size: 9 },
  ...lines.map((line, at) => (typeof line === "string" ? { text: line, y: 100 + 14 * at } : line)),
  { text: `- ${number} -`, x: 290, y: 810, size: 9 },
];
const long = "and so on it went for as long as a line of this book can be,";

it("leaves out running heads, page numbers, footnotes and hyphens of lines, and joins paragraphs", async () => {
  const bytes = pdfBytes([
    bookPage(1, [
      { text: "Chapter One", y: 80, size: 20 },
      `The well-known inspi-`,
      `ration came at night, ${long}`,
      `and the well-`,
      `known end of it was near. ${long}`,
      { text: "He wrote it down.", y: 156 },
      { text: "1", x: 166, y: 151, size: 7 },
      { text: "1 A note about this.", y: 760, size: 9 },
    ]),
    bookPage(2, [`A new paragraph starts here, ${long}`, "and goes on to the"]),
    bookPage(3, [
      "next page.",
      { text: "Chapter Two", y: 140, size: 20 },
      { text: "The year was 1990", y: 160 },
    ]),
    bookPage(4, ["and nobody knew."]),
  ]);
  const { script, chapters } = await importScript("book.pdf", bytes);
  expect(script.split("\n\n")).toEqual([
    "# Chapter One",
    `The well-known inspiration came at night, ${long} and the well-known end of it was near. ${long} ` +
      "He wrote it down.",
    `A new paragraph starts here, ${long} and goes on to the next page.`,
    "# Chapter Two",
    "The year was 1990 and nobody knew.",
  ]);
  expect(chapters?.map(({ title }) => title)).toEqual(["Chapter One", "Chapter Two"]);
});

it("starts a paragraph at an indented line, a gap, and after a short last line", async () => {
  const bytes = pdfBytes([
    [
      { text: `First, ${long}`, y: 100 },
      { text: "and its end of almost the same width as all of the other ones here.", y: 114 },
      { text: `Second, ${long}`, x: 90, y: 128 },
      { text: "and its end.", y: 142 },
      { text: `Third, ${long}`, y: 156 },
      { text: "and its end of almost the same width as all of the other ones here.", y: 170 },
      { text: `Fourth, ${long}`, y: 200 },
    ],
  ]);
  const { script } = await importScript("a.pdf", bytes);
  expect(script.split("\n\n").map((paragraph) => /^\w+/.exec(paragraph)?.[0])).toEqual([
    "First",
    "Second",
    "Third",
    "Fourth",
  ]);
});

it("names what is wrong with a PDF that cannot be read", async () => {
  const page: PdfTextLine[] = [{ text: "Hello.", y: 100 }];
  const encryption =
    "/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -44 " +
    `/O <${"ab".repeat(32)}> /U <${"cd".repeat(32)}> >> /ID [<${"00".repeat(16)}> <${"00".repeat(16)}>]`;
  await expect(importScript("a.pdf", pdfBytes([page], encryption))).rejects.toMatchObject({
    sent: { id: "document.encryptedPdf" },
  });
  await expect(importScript("a.pdf", pdfBytes([[], []]))).rejects.toMatchObject({
    sent: { id: "document.scannedPdf" },
  });
  await expect(importScript("a.pdf", Buffer.from("%PDF-1.4\nnothing"))).rejects.toMatchObject({
    sent: { id: "document.damagedPdf" },
  });
  await expect(importScript("a.pdf", new Uint8Array())).rejects.toMatchObject({
    sent: { id: "document.silent" },
  });
});
