import { expect, it } from "vitest";
import { sanitizeDictation } from "../../../main/contract/dictation-text.ts";

const asLine = (text: string) => sanitizeDictation(text, { keepsLineBreaks: false });
const asLines = (text: string) => sanitizeDictation(text, { keepsLineBreaks: true });

it("keeps plain text unchanged, whatever its script and first character", () => {
  for (const text of [
    "Dear Ms Übel, yes: 3 < 4 & 5 > 2.",
    "--help me",
    "-rf /",
    'it\'s `$HOME` \\ "q"',
    "naïve café",
    "東京都へ行きます。",
    "Привет, мир",
    "שלום עולם",
    "مرحبا",
    "สวัสดี",
    "한국어",
    "\u00a0x\u00a0y".trim(),
  ])
    expect(asLine(text)).toBe(text);
});

it.each([
  ["colours", "a\x1b[31mred\x1b[0m b", "ared b"],
  ["cursor with intermediates", "a\x1b[?25 qb", "ab"],
  ["a window title that BEL ends", "a\x1b]0;rm -rf ~\x07b", "ab"],
  ["a clipboard write that ST ends", "a\x1b]52;c;cm0gLXJm\x1b\\b", "ab"],
  ["a device control string", "a\x1bP+q544e\x1b\\b", "ab"],
  ["an application command", "a\x1b_Gf=100;AAAA\x1b\\b", "ab"],
  ["a private message", "a\x1b^secret\x1b\\b", "ab"],
  ["8-bit CSI and OSC", "a\x9b31mb\x9d0;title\x9cc", "abc"],
  ["a reset and a charset", "a\x1bcb\x1b(0c", "abc"],
  ["the end of a bracketed paste", "a\x1b[201~b", "ab"],
])("removes escape sequences completely: %s", (_name, text, clean) =>
  expect(asLine(text)).toBe(clean),
);

it("leaves nothing of an unterminated sequence that could start a new one", () => {
  for (const text of [
    "a\x1b",
    "a\x1b[",
    "a\x1b]0;b",
    "a\x9b",
    "a\x1b[\x1b[31m",
    "\x1b\x1b[A[A",
    "a\x1b]0;\nwhoami\x07",
  ])
    expect(asLine(text)).not.toMatch(/\p{Cc}/u);
  expect(asLine("said\x1b]0;more words")).toBe("said0;more words");
});

it("removes all control characters: C0, DEL and C1", () => {
  const all = Array.from({ length: 0xa0 }, (_each, code) => `x${String.fromCharCode(code)}y`).join(
    "",
  );
  expect(asLine(all)).not.toMatch(/\p{Cc}/u);
  expect(asLines(all).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  expect(asLine("a\x00b\x03c\x08d\x7fe\x04f")).toBe("abcdef");
});

it("replaces each kind of line break with one space, and trims both ends", () => {
  for (const end of [
    "\n",
    "\r\n",
    "\r",
    "\v",
    "\f",
    "\x85",
    "\u2028",
    "\u2029",
    " \n ",
    "\n\n\n",
    "\t",
  ])
    expect(asLine(`${end}echo one${end}rm two${end}`)).toBe("echo one rm two");
});

it("keeps line breaks when configured, except the last, which would run a command", () => {
  expect(asLines("Dear Ms Übel,\r\n\r\nyes.\u2028Yours \n A\n")).toBe(
    "Dear Ms Übel,\n\nyes.\nYours\nA",
  );
  expect(asLines("a\tb\v")).toBe("a b");
});

it("removes characters that change the text direction or are invisible", () => {
  const hidden =
    "\u200b\u200c\u200d\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e" +
    "\u2060\u2061\u2066\u2067\u2068\u2069\ufeff\u00ad\u034f\u115f\u1160\u17b4\u180e" +
    "\u3164\uffa0\u{e0001}\u{e0072}\u{e0100}\ufe00\ufff9\u{1d173}";
  for (const character of hidden) expect(asLine(`pay${character}pal`)).toBe("paypal");
  expect(asLine("a\ud800b\udc00")).toBe("ab");
  expect(asLine("one \u200b two")).toBe("one two");
});

it("keeps joiners where a script needs them, one at a time", () => {
  for (const text of [
    "می\u200cخواهم",
    "क्\u200dष",
    "ශ්\u200dරී",
    "ന്\u200d",
    "👩\u200d🚀",
    "👩🏽\u200d🚀",
    "🏳️\u200d🌈",
    "❤️",
    "1\ufe0f\u20e3",
  ])
    expect(asLine(text)).toBe(text);
  expect(asLine("می\u200c\u200c\u200cخواهم")).toBe("می\u200cخواهم");
  expect(asLine("sudo\u200d rm")).toBe("sudo rm");
  expect(asLine("٪\u061c\u200c5")).toBe("٪5");
  expect(asLine("\u06dd١٢")).toBe("\u06dd١٢");
});

it("is idempotent", () => {
  const parts = [
    "a",
    " ",
    "\n",
    "\r",
    "\x1b",
    "[",
    "]",
    "31m",
    "\x07",
    "\x9b",
    "\x9c",
    "\u200d",
    "\u200c",
    "\u202e",
    "👩",
    "\ufe0f",
    "می",
    "\u061c",
    "\ud800",
    "-",
  ];
  let state = 7;
  const next = (count: number): number =>
    (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % count;
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 12 }, () => parts[next(parts.length)]).join("");
    for (const clean of [asLine, asLines]) expect(clean(clean(text))).toBe(clean(text));
  }
});

it("takes time proportional to the length of the text", () => {
  for (const hostile of [
    "\x1b]",
    "\x9d",
    "\x1b[",
    "\x1b[0",
    "\x1bP\x1b",
    " ",
    "\t",
    "\n",
    "\u200d",
    "👩\u200d",
    "\x1b ",
    "\x1b\x1b[A[A",
  ]) {
    const text = hostile.repeat(100_000 / hostile.length);
    const startMs = performance.now();
    asLine(text);
    asLines(text);
    // A quadratic step would take minutes.
    expect(performance.now() - startMs).toBeLessThan(5000);
  }
});
