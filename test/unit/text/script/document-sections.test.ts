import { expect, it } from "vitest";
import { scriptOfChapters, textOfDocument } from "../../../../main/contract/documents.ts";
import {
  divideAtHeadings,
  isFrontMatterTitle,
  joinSections,
} from "../../../../main/text/script/document-sections.ts";

const script =
  "# The Book\n\n## Contents\n\nOne, two.\n\n## Part I\n\n## One\n\nText one.\n\n## Two\n\nText two.";

it("divides a script at the headings of its chapters", () => {
  const sections = divideAtHeadings(script);
  expect(sections.map(({ title, isText }) => [title, isText])).toEqual([
    ["The Book · Contents", false],
    ["Part I · One", true],
    ["Two", true],
  ]);
  const joined = joinSections(sections);
  expect(joined.script).toBe(script);
  expect(scriptOfChapters(joined, (index) => index !== 1)).toBe(
    "# The Book\n\n## Contents\n\nOne, two.\n\n## Two\n\nText two.",
  );
  expect(textOfDocument({ title: "", author: "", ...joined })).toBe(
    "Part I\n\nOne\n\nText one.\n\nTwo\n\nText two.",
  );
});

it("leaves a script without headings whole", () => {
  expect(joinSections(divideAtHeadings("Only text.\n\nMore of it."))).toEqual({
    script: "Only text.\n\nMore of it.",
  });
});

it("knows titles of what is no text", () => {
  for (const title of ["Contents", "1. Table of Contents", "Impressum", "COPYRIGHT", "Índice"])
    expect([title, isFrontMatterTitle(title)]).toEqual([title, true]);
  for (const title of ["Preface", "Chapter 1", "The Cover", "Notes from Underground", "Einleitung"])
    expect([title, isFrontMatterTitle(title)]).toEqual([title, false]);
});
