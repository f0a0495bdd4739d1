import { describe, expect, it } from "vitest";
import { attachmentHeader, safeFileName } from "../../../../main/server/http/attachment.ts";

describe("a title as a file name", () => {
  it.each([
    ["Interview 3", "Interview 3"],
    ["../../etc/passwd", "etc passwd"],
    ['a/b\\c:d*e?f"g<h>i|j', "a b c d e f g h i j"],
    ["line\r\nbreak\u0000", "line break"],
    [".hidden", "hidden"],
    ["trailing. . ", "trailing"],
    ["con", "_con"],
    ["LPT1.txt", "_LPT1.txt"],
    ["nul .txt", "_nul .txt"],
    ["COM¹", "_COM¹"],
    ["conduct", "conduct"],
    ["Zürich 日本 😀", "Zürich 日本 😀"],
    ["???", "Untitled"],
    ["", "Untitled"],
  ])("%j becomes %j", (title, name) => {
    expect(safeFileName(title)).toBe(name);
  });

  it("is no longer than file systems allow, and ends with a complete character", () => {
    const name = safeFileName("日本😀".repeat(100));
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
    expect(name).toMatch(/^(日本😀)+日?本?$/u);
  });
});

it("is sent in the notations for old and new browsers", () => {
  expect(attachmentHeader("Zoë's talk (1).srt")["content-disposition"]).toBe(
    `attachment; filename="Zoe's talk (1).srt"; filename*=UTF-8''Zo%C3%AB%27s%20talk%20%281%29.srt`,
  );
  expect(attachmentHeader("日本.srt")["content-disposition"]).toBe(
    `attachment; filename="file.srt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.srt`,
  );
});
