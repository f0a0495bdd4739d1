import createBidi, { type Bidi } from "bidi-js";
import { describe, expect, it } from "vitest";
import type { PdfFont } from "../../../main/transcript/pdf-fonts.ts";
import { breakLines } from "../../../main/transcript/pdf-lines.ts";

const font: PdfFont = { name: "font", bytes: new Uint8Array(), has: () => true };

/** Lines with a width of one per character, runs in the order in which they are seen. */
const lines = (text: string, maxWidth: number): string[][] =>
  Array.from(
    breakLines(text, 0, {
      fonts: { find: () => font },
      bidi: (createBidi as unknown as () => Bidi)(),
      maxWidth,
      measure: (_, part) => part.length,
    }),
    ({ runs }) => runs.map((run) => run.text),
  );

describe("lines of a PDF file", () => {
  it("are broken at spaces, and within words that are longer than a line", () => {
    expect(lines("one two, three", 8)).toEqual([["one two,"], ["three"]]);
    expect(lines("a abcdefghij b", 4)).toEqual([["a"], ["abcd"], ["efgh"], ["ij b"]]);
  });

  it("are broken between characters of scripts that write no spaces, but not before a sign", () => {
    const broken = lines("今日は良い天気です。明日も", 5).map(([run]) => run ?? "");
    expect(broken.join("")).toBe("今日は良い天気です。明日も");
    for (const line of broken) {
      expect(line.length).toBeLessThanOrEqual(5);
      expect(line).not.toMatch(/^。/);
    }
  });

  it("show right-to-left text from the right, with its numbers from the left", () => {
    const [runs = []] = lines("שלום (12) abc", 80);
    expect(runs[0]).toBe("abc");
    expect(runs.at(-1)).toMatch(/^שלום/);
    expect(runs.indexOf("12")).toBeGreaterThan(0);
  });
});
