import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IntlMessageFormat } from "intl-messageformat";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  formatCost,
  formatDate,
  formatLanguage,
  formatSize,
  formatTime,
  formatTimeOfDay,
} from "../../../../renderer/messages/format.ts";
import { loadMessages, t } from "../../../../renderer/messages/messages.ts";
import { fillTranslations } from "../../../../build/fill-translations.ts";
import {
  interfaceLanguageCodes,
  matchInterfaceLanguage,
} from "../../../../main/contract/interface-languages.ts";
import { preferences } from "../../../../main/contract/preferences.ts";
import { localize } from "../../../../renderer/messages/localize.ts";
import { AppError } from "../../../../main/contract/errors.ts";
import {
  createMessage,
  messages as sentMessages,
} from "../../../../main/contract/messages/messages.ts";

const renderer = join(import.meta.dirname, "../../../../renderer");
const folderOf = (language: string) => join(renderer, "messages", language);
const readTexts = (language: string, file: string) =>
  JSON.parse(readFileSync(join(folderOf(language), file), "utf8")) as Record<string, string>;
/** The window's own texts. */
const read = (language: string) =>
  new Map(
    readdirSync(folderOf(language))
      .filter((file) => file.endsWith(".json") && !/^(app|desktop)\./.test(file))
      .flatMap((file) =>
        Object.entries(readTexts(language, file)).map(
          ([key, text]) => [key, { file, text }] as const,
        ),
      ),
  );
const english = read("en");
const otherLanguages = interfaceLanguageCodes.filter((language) => language !== "en");
const translations = otherLanguages.map((language) => [language, read(language)] as const);

/** Only what differs, since a report would cut off lists of all keys. */
const differences = (keys: Iterable<string>, expected: Iterable<string>) => {
  const [found, wanted] = [new Set(keys), new Set(expected)];
  return {
    missing: [...wanted].filter((key) => !found.has(key)),
    unknown: [...found].filter((key) => !wanted.has(key)),
  };
};
const same = { missing: [], unknown: [] };

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
  it("can be chosen in every language, and in no other", () => {
    const folders = readdirSync(join(renderer, "messages"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect([...preferences.shape.language.unwrap().options].sort()).toEqual(folders.sort());
  });

  it.each(translations)("have the same keys as in English (%s)", (_, translated) => {
    expect(differences(translated.keys(), english.keys())).toEqual(same);
  });

  it("are all used", () => {
    expect(
      [...english.keys()].filter(
        (key) => !written.has(key) && !beginnings.some((beginning) => key.startsWith(beginning)),
      ),
    ).toEqual([]);
  });

  it("are in the file of their area", () => {
    expect(
      [english, ...translations.map(([, texts]) => texts)]
        .flatMap((texts) => [...texts])
        .filter(([key, { file }]) => `${key.split(".")[0]}.json` !== file)
        .map(([key]) => key),
    ).toEqual([]);
  });

  it.each(translations)("have the same placeholders as in English (%s)", (_, translated) => {
    expect(
      [...english]
        .filter(([key, { text }]) => valuesOf(text) !== valuesOf(translated.get(key)?.text ?? ""))
        .map(([key]) => key),
    ).toEqual([]);
  });

  it.each([["en", english] as const, ...translations])(
    "can all be parsed (%s)",
    (language, texts) => {
      expect(
        [...texts].filter(([, { text }]) => !isReadable(text, language)).map(([key]) => key),
      ).toEqual([]);
    },
  );
});

it.each(otherLanguages)("menus and dialogs have all texts and parameters (%s)", (language) => {
  const [translated, wanted] = [language, "en"].map((each) => readTexts(each, "desktop.json"));
  expect(differences(Object.keys(translated ?? {}), Object.keys(wanted ?? {}))).toEqual(same);
  expect(
    Object.keys(wanted ?? {}).filter(
      (key) => paramsIn(wanted?.[key]) !== paramsIn(translated?.[key]),
    ),
  ).toEqual([]);
});

it("French has narrow spaces inside « » and before ; : ! ?, and typographic apostrophes", () => {
  const wrong = /[ \u00a0][;:!?»]|[^\u202f]»|«[^\u202f]|'/;
  expect(
    ["app.json", "desktop.json", ...new Set([...english.values()].map(({ file }) => file))]
      .flatMap((file) => Object.entries(readTexts("fr", file)))
      // A skeleton of a number has colons after a space.
      .filter(([, text]) => wrong.test(text.replaceAll(" ::", "")))
      .map(([key]) => key),
  ).toEqual([]);
});

const paramsIn = (text = "") => [...new Set(text.match(/\{\w+/g))].sort().join(" ");

describe("a message of the app", () => {
  const texts = new Map(
    Object.entries(sentMessages).map(([id, entry]) => [
      id,
      typeof entry === "string" ? entry : entry[1],
    ]),
  );

  it.each(otherLanguages)("has a text with the same parameters (%s)", (language) => {
    const translated = new Map(Object.entries(readTexts(language, "app.json")));
    expect(differences(translated.keys(), texts.keys())).toEqual(same);
    expect(
      [...texts].filter(([id, text]) => paramsIn(text) !== paramsIn(translated.get(id))),
    ).toEqual([]);
  });

  it("is sent by the app", () => {
    const main = join(import.meta.dirname, "../../../../main");
    const app = readdirSync(main, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.startsWith(join("contract", "messages")))
      .map((path) => readFileSync(join(main, path), "utf8"))
      .join("\n");
    expect([...texts.keys()].filter((id) => !app.includes(`"${id}"`))).toEqual([]);
  });

  it("names languages as the window does", async () => {
    await loadMessages("de");
    const why = createMessage("language.notTranscribed", { language: "french" });
    expect(
      localize(createMessage("language.unsupported", { why, languages: "english, german" })),
    ).toBe(
      "Diese Sprache wird nicht unterstützt: Dieses Modell transkribiert „Französisch“ nicht. Das Modell kennt Englisch, Deutsch.",
    );
    const others = createMessage("language.others", { count: 99 });
    expect(localize(createMessage("language.unsupported", { why, languages: others }))).toContain(
      "99 andere",
    );
  });

  it("is translated with its parameters, which may be messages too", async () => {
    await loadMessages("de");
    expect(localize(createMessage("item.noAudio"))).toBe("Dieser Eintrag hat kein Audio.");
    expect(localize(createMessage("channel.nameTaken", { name: "Groq", other: "groq" }))).toBe(
      "Den Namen „Groq“ hat schon der Kanal „groq“.",
    );
    expect(localize(createMessage("narration.tooLong", { max: 2_000_000 }))).toContain(
      "2.000.000 Zeichen",
    );
    const known = createMessage("model.known", { models: "'y'" });
    expect(localize(createMessage("model.unknown", { model: "x", known }))).toBe(
      "Das Modell „x“ gibt es nicht. Hier verfügbar: 'y'.",
    );
    const why = new AppError("channel.noAnswer", { seconds: 60 }).sent;
    expect(localize(createMessage("test.keyNeeded", { why }))).toBe(
      "ein Schlüssel wird gebraucht: Keine Antwort innerhalb von 60 s.",
    );
  });

  it("is shown in English if there is no translation with its parameters", async () => {
    await loadMessages("de");
    expect(localize({ message: "Your credit balance is too low." })).toBe(
      "Your credit balance is too low.",
    );
    expect(localize({ message: "From a newer version.", id: "unknown.id", params: {} })).toBe(
      "From a newer version.",
    );
    expect(localize({ message: "The port is in use.", id: "app.portTaken", params: {} })).toBe(
      "The port is in use.",
    );
    await loadMessages("en");
    expect(localize(createMessage("narration.tooLong", { max: 2_000_000 }))).toContain(
      "2,000,000 characters",
    );
  });

  it("keeps text from elsewhere as it came", async () => {
    await loadMessages("de");
    const text = "Ungültig: {model} isn't 'x'";
    expect(localize(new AppError("verbatim", { text }).sent)).toBe(text);
    await loadMessages("en");
  });
});

describe("t", () => {
  beforeEach(() => loadMessages("en"));

  it("inserts values, with the plural forms of the language", async () => {
    expect(t("server.usage.unpriced", { count: 1 })).toContain("1 request went");
    expect(t("server.usage.unpriced", { count: 2000 })).toContain("2,000 requests went");
    await loadMessages("de");
    expect(t("server.usage.unpriced", { count: 2000 })).toContain("2.000 Anfragen gingen");
    await loadMessages("fr");
    expect(t("library.hits.count", { count: 0 })).toBe("0 occurrence");
    expect(t("library.hits.count", { count: 2000 })).toBe("2\u202f000 occurrences");
    expect(t("library.hits.count", { count: 1e6 })).toBe("1\u202f000\u202f000 d’occurrences");
  });

  it("is English in the built page where a translation lacks it", async () => {
    const path = join(folderOf("fr"), "welcome.json");
    const filled = JSON.parse(
      (await fillTranslations.transform('{"welcome.title":"Bienvenue"}', path)) ?? "",
    ) as object;
    expect(filled).toMatchObject({ "welcome.title": "Bienvenue", "welcome.done": "Get started" });
    expect(await fillTranslations.transform("{}", join(folderOf("fr"), "app.json"))).toBe(
      undefined,
    );
    expect(await fillTranslations.transform("{}", join(renderer, "other.json"))).toBe(undefined);
  });

  it("keeps text that looks like HTML as text", () => {
    expect(t("frame.player.position", { title: "<b>hi</b>" })).toBe("Position in <b>hi</b>");
  });

  it("uses the browser’s language when it is supported", () => {
    expect(matchInterfaceLanguage(["ja-JP", "fr-CA", "en"])).toBe("fr");
    expect(matchInterfaceLanguage(["en-US@posix"])).toBe("en");
    expect(matchInterfaceLanguage(["ja"])).toBe("en");
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
    await loadMessages("fr");
    expect([30_000, 250_000, 1_440_000_000].map(formatSize)).toEqual([
      "30\u202fko",
      "0,3\u202fMo",
      "1,4\u202fGo",
    ]);
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

  it("show dates as in the region of the system or browser, if that speaks the chosen language", async () => {
    const atMs = new Date(2026, 10, 24, 14, 32).getTime();
    vi.stubGlobal("navigator", { languages: ["fr-CH", "en-GB", "en-US"] });
    expect([formatDate(atMs), formatTimeOfDay(atMs)]).toEqual(["24 Nov 2026", "14:32"]);
    vi.stubGlobal("navigator", { languages: ["en-US"] });
    expect(formatDate(atMs)).toBe("Nov 24, 2026");
    await loadMessages("de");
    expect(formatDate(atMs)).toBe("24.11.2026");
    vi.unstubAllGlobals();
  });

  it("show names of languages in the current language, and unknown codes unchanged", async () => {
    expect(formatLanguage("de")).toBe("German");
    await loadMessages("de");
    expect(formatLanguage("de")).toBe("Deutsch");
    expect(formatLanguage("not a code")).toBe("not a code");
  });
});
