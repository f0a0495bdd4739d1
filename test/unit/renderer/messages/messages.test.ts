import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IntlMessageFormat } from "intl-messageformat";
import { beforeEach, describe, expect, it } from "vitest";
import {
  formatCost,
  formatLanguage,
  formatSize,
  formatTime,
} from "../../../../renderer/messages/format.ts";
import { browserLanguage, loadMessages, t } from "../../../../renderer/messages/messages.ts";
import { localize } from "../../../../renderer/messages/localize.ts";

const renderer = join(import.meta.dirname, "../../../../renderer");
const read = (language: string) =>
  new Map(
    readdirSync(join(renderer, "messages", language)).flatMap((file) =>
      Object.entries(
        JSON.parse(readFileSync(join(renderer, "messages", language, file), "utf8")) as Record<
          string,
          string
        >,
      ).map(([key, text]) => [key, { file, text }] as const),
    ),
  );
const english = read("en");
const german = read("de");

const sources = readdirSync(renderer, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(renderer, path), "utf8"))
  .join("\n");
/** Keys that occur literally, and the constant prefixes of keys that are built from parts. */
const written = new Set(
  Array.from(sources.matchAll(/['"]([a-z]+\.[\w.-]+)['"]/gi), ([, key]) => key),
);
const beginnings = Array.from(
  sources.matchAll(/`([a-z]+\.[\w.-]*)\$\{/gi),
  ([, beginning]) => beginning as string,
);

type Part = { type: number; value?: unknown; options?: Record<string, { value: Part[] }> };
const parsed = (text: string, language = "en") =>
  new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
/** Names of the placeholders in a text, including plural forms. Type 0 is plain text, 7 the number in a plural form. */
const namesIn = (parts: readonly Part[]): unknown[] =>
  parts.flatMap(({ type, value, options = {} }) =>
    type === 0 || type === 7
      ? []
      : [value, ...Object.values(options).flatMap((option) => namesIn(option.value))],
  );
const valuesOf = (text: string) =>
  [...new Set(namesIn(parsed(text).getAst() as Part[]))].sort().join();

function isReadable(text: string, language: string): boolean {
  try {
    parsed(text, language);
    return true;
  } catch {
    return false;
  }
}

describe("messages", () => {
  it("have the same keys in both languages", () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it("are all used", () => {
    // The app's own sentences are looked up by their text.
    expect(
      [...english.keys()].filter(
        (key) =>
          !key.startsWith("errors.") &&
          !written.has(key) &&
          !beginnings.some((beginning) => key.startsWith(beginning)),
      ),
    ).toEqual([]);
  });

  it("are in the file of their area", () => {
    expect(
      [...english, ...german]
        .filter(([key, { file }]) => `${key.split(".")[0]}.json` !== file)
        .map(([key]) => key),
    ).toEqual([]);
  });

  it("have the same placeholders in both languages", () => {
    expect(
      [...english]
        .filter(([key, { text }]) => valuesOf(text) !== valuesOf(german.get(key)?.text ?? ""))
        .map(([key]) => key),
    ).toEqual([]);
  });

  it.each([
    ["en", english],
    ["de", german],
  ] as const)("can all be parsed (%s)", (language, texts) => {
    expect(
      [...texts].filter(([, { text }]) => !isReadable(text, language)).map(([key]) => key),
    ).toEqual([]);
  });
});

describe("an English message of the app", () => {
  it("occurs in the app's source word for word", () => {
    const main = join(import.meta.dirname, "../../../../main");
    const app = readdirSync(main, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(join(main, path), "utf8"))
      .join("\n");
    const value = String.raw`\$\{(?:[^{}]|\{[^{}]*\})*\}`;
    const inApp = (text: string) =>
      new RegExp(
        text
          .split(/\{\w+\}/)
          .map((part) =>
            part.replaceAll("''", "'").replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`),
          )
          .join(value),
      ).test(app);
    expect(
      [...english]
        .filter(([key, { text }]) => key.startsWith("errors.") && !inApp(text))
        .map(([key]) => key),
    ).toEqual([]);
  });

  it("is translated with its values, and shown unchanged when it is unknown", async () => {
    await loadMessages("de");
    expect(localize("This item has no sound.")).toBe("Dieser Eintrag hat kein Audio.");
    expect(localize("3 of 12 sentences are not made yet. Make them first.")).toBe(
      "3 von 12 Sätzen sind noch nicht erzeugt. Erzeugen Sie sie zuerst.",
    );
    expect(localize("The name 'Groq' is taken by the channel 'groq'.")).toBe(
      "Den Namen „Groq“ hat schon der Kanal „groq“.",
    );
    expect(localize("The model 'x' does not exist. Here one of these is needed: 'y'.")).toContain(
      "Das Modell „x“ gibt es nicht.",
    );
    expect(localize("a key is needed: No answer within 60 s.")).toBe(
      "ein Schlüssel wird gebraucht: Keine Antwort innerhalb von 60 s.",
    );
    expect(localize("Your credit balance is too low.")).toBe("Your credit balance is too low.");
    await loadMessages("en");
    expect(localize("This item has no sound.")).toBe("This item has no sound.");
  });
});

describe("t", () => {
  beforeEach(() => loadMessages("en"));

  it("inserts values, with the plural forms of the language", async () => {
    expect(t("server.usage.unpriced", { count: 1 })).toContain("1 request went");
    expect(t("server.usage.unpriced", { count: 2000 })).toContain("2,000 requests went");
    await loadMessages("de");
    expect(t("server.usage.unpriced", { count: 2000 })).toContain("2.000 Anfragen gingen");
  });

  it("keeps text that looks like HTML as text", () => {
    expect(t("shell.player.position", { title: "<b>hi</b>" })).toBe("Position in <b>hi</b>");
  });

  it("uses the browser’s language when it is supported", () => {
    expect(browserLanguage(["fr-FR", "de-AT", "en"])).toBe("de");
    expect(browserLanguage(["en-US@posix"])).toBe("en");
    expect(browserLanguage(["ja"])).toBe("en");
  });
});

describe("formatted values", () => {
  beforeEach(() => loadMessages("en"));

  it("show times with hours only where there are some", () => {
    expect([0, 59.9, 61, 3599, 3600, 37_230].map(formatTime)).toEqual([
      "0:00",
      "0:59",
      "1:01",
      "59:59",
      "1:00:00",
      "10:20:30",
    ]);
  });

  it("show sizes with one decimal", async () => {
    expect([250_000, 12_000_000, 1_440_000_000].map(formatSize)).toEqual([
      "0.3 MB",
      "12.0 MB",
      "1.4 GB",
    ]);
    await loadMessages("de");
    expect(formatSize(250_000)).toBe("0,3 MB");
  });

  it("show costs with as many decimals as needed", () => {
    expect([0, 0.0042, 0.12, 0.125, 12.3].map(formatCost)).toEqual([
      "$0",
      "$0.0042",
      "$0.12",
      "$0.125",
      "$12.30",
    ]);
  });

  it("show names of languages in the current language, and unknown codes unchanged", async () => {
    expect(formatLanguage("de")).toBe("German");
    await loadMessages("de");
    expect(formatLanguage("de")).toBe("Deutsch");
    expect(formatLanguage("not a code")).toBe("not a code");
  });
});
