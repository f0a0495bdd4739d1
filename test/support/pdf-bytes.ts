// A PDF with lines of Helvetica at given places, regular or bold.

export type PdfTextLine = {
  text: string;
  x?: number;
  y: number;
  size?: number;
  isBold?: boolean;
};

/** A4 pages, 842 points high. `y` is measured from the top. @param extra entries of the trailer */
export function pdfBytes(pages: readonly (readonly PdfTextLine[])[], extra = ""): Uint8Array {
  const boldFont = 4 + 2 * pages.length;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((lines, at) => {
      const content = lines
        .map(
          ({ text, x = 72, y, size = 12, isBold = false }) =>
            `BT /F${isBold ? 2 : 1} ${size} Tf ${x} ${842 - y} Td (${text.replace(/[()\\]/g, "\\$&")}) Tj ET`,
        )
        .join("\n");
      return [
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] " +
          `/Resources << /Font << /F1 3 0 R /F2 ${boldFont} 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, "0");
  });
  const table = offsets.map((offset) => `${offset} 00000 n \n`).join("");
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R ${extra} >>\n`;
  return Buffer.from(`${file}startxref\n${file.indexOf("xref\n")}\n%%EOF\n`, "latin1");
}
