// Checks that no line is too long. oxfmt breaks code at 100 characters, but neither comments nor strings.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "vite";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const maxLength = 120;

/** Tables of texts that are compared as they are. */
const tables: Readonly<Record<string, string>> = {
  "main/models/measuring-clips.ts": "what is said in each clip",
  "main/text/phoneme-alphabet.ts": "the signs that the models know, in their order",
  "test/support/reference-translations.ts": "the sentences of a data set",
};

type Range = { readonly start: number; readonly end: number };

/** What cannot be continued on another line. */
function unbreakable(path: string, source: string): Range[] {
  const ranges: Range[] = [];
  // Titles of tests, and texts that the app is given or must return as they are.
  const isTest = path.startsWith("test/");
  new Visitor({
    Literal(node) {
      if ("regex" in node || (isTest && typeof node.value === "string")) ranges.push(node);
    },
    TemplateLiteral(node) {
      // A line break is a part of the text.
      const hasLines = node.quasis.some(({ value }) => value.raw.includes("\n"));
      if (isTest || hasLines) ranges.push(node);
    },
  }).visit(parseSync(path, source).program);
  return ranges;
}

/** Numbers of the lines that are too long without what cannot be broken. */
function longLines(path: string, source: string): number[] {
  const lines = source.split("\n");
  if (lines.every(({ length }) => length <= maxLength)) return [];
  const ranges = unbreakable(path, source);
  let lineStart = 0;
  return lines.flatMap((line, index) => {
    const start = lineStart;
    lineStart += line.length + 1;
    const isBreakable = (_: string, column: number): boolean =>
      ranges.every((range) => start + column < range.start || start + column >= range.end);
    const isLong = line.length > maxLength && line.split("").filter(isBreakable).length > maxLength;
    return isLong ? [index + 1] : [];
  });
}

it("finds lines that are too long", () => {
  const long = "word ".repeat(30);
  const source = [
    `// ${long}`,
    `/** ${long} */`,
    `const text = "${long}";`,
    `const html = \`<p>${long}`,
    `// ${long}`,
    `</p>\`;`,
    `const pattern = /${long}/u;`,
    `call(${"argument, ".repeat(15)});`,
    `it("${long}", () => {});`,
  ].join("\n");
  expect(longLines("main/a.ts", source)).toEqual([1, 2, 3, 8, 9]);
  expect(longLines("test/a.ts", source)).toEqual([1, 2, 8]);
});

it("allows lines of at most 120 characters", () => {
  const files = ["main", "renderer", "build", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter((path) => /\.(?:tsx?|mjs)$/.test(path)),
  );
  const wrong = files
    .filter((path) => !(path in tables))
    .flatMap((path) =>
      longLines(path, readFileSync(join(root, path), "utf8")).map((line) => `${path}:${line}`),
    );
  expect(files).toContain("main/app.ts");
  expect(wrong).toEqual([]);
});
