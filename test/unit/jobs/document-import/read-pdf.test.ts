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

const bold = (text: string, y: number): PdfTextLine => ({ text, y, isBold: true });

it("takes short lines in bold that stand alone for headings", async () => {
  const body = (y: number): PdfTextLine[] => [
    { text: `One day came, ${long}`, y },
    { text: `and the next, ${long} and so on.`, y: y + 14 },
  ];
  const bytes = pdfBytes([
    [
      bold("Arrival", 80),
      ...body(94),
      bold("The second day", 136),
      ...body(164),
      bold("What is that?", 206),
      ...body(220),
      bold("Figure 2: A boat", 262),
      ...body(276),
      bold("Warning: this is a whole paragraph in bold, which goes on for more lines", 318),
      bold("than a heading has, and so it is one of the text, whatever it may look like,", 332),
      bold("and wherever it stands", 346),
      ...body(374),
      bold("Anna", 416),
      ...body(430),
      bold("Anna", 472),
      ...body(486),
      { text: "And then he said", y: 514 },
      bold("never again", 528),
      { text: `to all of them, ${long}`, y: 542 },
    ],
    [bold("Chapter 3", 80), ...body(94), ...body(136), bold("The end", 178)],
  ]);
  const { script, chapters } = await importScript("a.pdf", bytes);
  expect(script.match(/^#.*/gm)).toEqual(["## Arrival", "## The second day", "# Chapter 3"]);
  expect(chapters?.length).toBeGreaterThan(1);
  expect(script).toContain("And then he said never again to all of them");
  expect(script).toMatch(/The end$/);
});

it("takes no bold line for a heading where all of the text is bold", async () => {
  const lines = ["A day", `One day came, ${long}`, "Another", `And the next, ${long}`, "End."];
  const bytes = pdfBytes([lines.map((text, at) => ({ text, y: 80 + 30 * at, isBold: true }))]);
  expect((await importScript("a.pdf", bytes)).script).not.toContain("#");
});

const row = (y: number, cells: readonly string[], isBold = false): PdfTextLine[] =>
  cells.map((text, column) => ({ text, x: 72 + 120 * column, y, isBold }));

it("reads tables of single lines row by row, with the names of their columns", async () => {
  const bytes = pdfBytes([
    [
      { text: `These are the prices, ${long}`, y: 100 },
      ...row(130, ["Name", "Age", "Town"], true),
      ...row(146, ["Ann", "30", "Oslo"]),
      ...row(162, ["Bob", "41", "Rome"]),
      ...row(178, ["Charlotte", "7", "A town by the sea"]),
      { text: "That was the first table.", y: 210 },
      ...row(240, ["Tea:", "2 EUR"]),
      ...row(256, ["Coffee:", "3 EUR"]),
      ...row(272, ["Water:", "1 EUR"]),
      { text: "This is a list:", y: 310 },
      ...["1.", "2.", "3."].flatMap((mark, at) => [
        { text: mark, y: 330 + 16 * at },
        { text: `point ${at + 1}`, x: 100, y: 330 + 16 * at },
      ]),
    ],
  ]);
  const { script } = await importScript("a.pdf", bytes);
  expect(script.split("\n\n").slice(1, 9)).toEqual([
    "Ann: Age 30, Town Oslo.",
    "Bob: Age 41, Town Rome.",
    "Charlotte: Age 7, Town A town by the sea.",
    "That was the first table.",
    "Tea: 2 EUR.",
    "Coffee: 3 EUR.",
    "Water: 1 EUR.",
    expect.stringMatching(/^This is a list:/),
  ]);
  expect(script).toMatch(/1\. point 1\s+2\. point 2\s+3\. point 3$/);
});

it("leaves two columns of running text as they are", async () => {
  const column = ["and so it went for as long as it could", "until nobody was there to see how"];
  const lines = Array.from({ length: 5 }, (_, at) =>
    column.map((text, index) => ({ text, x: 60 + 250 * index, y: 100 + 14 * at })),
  );
  const { script } = await importScript("a.pdf", pdfBytes([lines.flat()]));
  expect(script).not.toContain("could,");
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
