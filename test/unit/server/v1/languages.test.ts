import { describe, expect, it } from "vitest";

import {
  separatorBefore,
  languageName,
  languageNames,
  formatLanguageList,
  parseLanguage,
} from "../../../../main/contract/languages.ts";

describe("a language", () => {
  it.each([
    ["en", "en"],
    ["EN", "en"],
    ["en-US", "en"],
    ["pt_BR", "pt"],
    ["zh-Hans-CN", "zh"],
    ["English", "en"],
    [" german ", "de"],
    ["castilian", "es"],
    ["Mandarin", "zh"],
    ["cantonese", "yue"],
    ["haitian creole", "ht"],
    ["jv", "jw"],
    ["nb-NO", "no"],
  ])("can be parsed from %s", (value, code) => expect(parseLanguage(value)).toBe(code));

  it.each(["klingon", "xx", "", "-", "english please", "__proto__", "constructor"])(
    "cannot be parsed from %j",
    (value) => {
      expect(parseLanguage(value)).toBeUndefined();
    },
  );

  it("has one name, which maps back to its code", () => {
    expect(languageNames.size).toBe(100);
    for (const [code, name] of languageNames) {
      expect(languageName(code)).toBe(name);
      expect(parseLanguage(name)).toBe(code);
    }
  });
});

it("has a space between segments unless it is written without spaces", () => {
  expect([...languageNames.keys()].filter((code) => separatorBefore(code) === "")).toEqual([
    "ja",
    "km",
    "lo",
    "my",
    "th",
    "yue",
    "zh",
  ]);
  expect(separatorBefore("")).toBe(" ");
});

it("lists languages by name", () => {
  expect(formatLanguageList(["en"])).toBe("english");
  expect(formatLanguageList(["en", "de", "xx"])).toBe("english, german, xx");
});
