// What documents of several formats have in common beside their text: marks of footnotes, and tables as somebody would
// read them out. Pure.

/** Numbers and signs that point to a footnote, as they are written: `1`, `[12]`, `2,3`, `*`. */
const footnoteMarkPattern = /^[[(]?(?:\d{1,3}(?:[,–-] ?\d{1,3})*|[*†‡§¶]{1,3})[\])]?$/u;
const superscriptDigits = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export const isFootnoteMark = (text: string): boolean => footnoteMarkPattern.test(text.trim());

/**
 * A raised text: empty if it is the mark of a footnote, raised digits if it is an exponent (`km²`, `10⁵`).
 * @param before the text it follows
 */
export function spokenSuperscript(text: string, before: string): string {
  const bare = text.trim();
  if (!isFootnoteMark(bare)) return text;
  const isExponent =
    /^\d{1,2}$/.test(bare) &&
    (/\d$/.test(before) || (/^[23]$/.test(bare) && /(?:^|[^\p{L}])\p{L}{1,2}$/u.test(before)));
  return isExponent ? bare.replace(/\d/g, (digit) => superscriptDigits[Number(digit)] ?? "") : "";
}

/** Paragraphs: one per row, with the names of its columns if the first row has them. */
export function tableToParagraphs(
  rows: readonly (readonly string[])[],
  hasHeader: boolean,
): string[] {
  const [header = [], ...body] = rows;
  const isNamed = hasHeader && header.filter(Boolean).length > 1 && body.length > 0;
  return (isNamed ? body : rows).flatMap((row) => {
    const cells = row.filter(Boolean);
    // A table around ordinary text, as in old books.
    if (cells.length < 2) return cells;
    if (!isNamed || row.length !== header.length) return [endSentence(joinCells(cells))];
    const [first = "", ...others] = row;
    const named = others.flatMap((cell, index) => {
      const name = header[index + 1] ?? "";
      if (cell === "") return [];
      return [name === "" ? cell : `${name} ${cell}`];
    });
    return [endSentence(first === "" ? named.join(", ") : `${first}: ${named.join(", ")}`)];
  });
}

const joinCells = (cells: readonly string[]): string =>
  cells.reduce((text, cell) => text + (/[.,:;!?]$/.test(text) ? " " : ", ") + cell);

const endSentence = (text: string): string =>
  /[.!?:…]["'”’)]?$/.test(text) ? text : `${text.replace(/[,;]$/, "")}.`;
