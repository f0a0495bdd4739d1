// Texts of the interface: `t(key, values)` formats a text (ICU message format) in the selected language. Texts are in
// en/ and de/, one file per area; a key starts with the area's name.

import { IntlMessageFormat } from "intl-messageformat";
import type { messages as english } from "./en.ts";

export type MessageKey = keyof typeof english;
export type Values = Readonly<Record<string, string | number | Date>>;
export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];
/** In their own language, so that everyone recognizes theirs. */
export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch" };

const catalogues = { en: () => import("./en.ts"), de: () => import("./de.ts") } satisfies Record<
  Language,
  () => Promise<{
    messages: Record<MessageKey, string>;
    sentMessages: Readonly<Partial<Record<string, string>>>;
  }>
>;

let texts: Partial<Record<MessageKey, string>> = {};
let sentTexts: Readonly<Partial<Record<string, string>>> = {};
let current: Language = "en";
let formats = new Map<MessageKey, IntlMessageFormat>();

/** The browser's language if it is available, else English. */
export const browserLanguage = (preferred: readonly string[]): Language =>
  preferred
    .map((tag) => tag.slice(0, 2))
    .find((tag): tag is Language => languages.includes(tag as Language)) ?? "en";

export async function loadMessages(language: Language): Promise<void> {
  ({ messages: texts, sentMessages: sentTexts } = await catalogues[language]());
  current = language;
  formats = new Map();
}

export const languageInUse = () => current;

/** The formatted text of a key. Returns the key if no language is loaded (in tests). */
export function t(key: MessageKey, values?: Values): string {
  const text = texts[key];
  if (text === undefined) return key;
  if (values === undefined && !text.includes("{") && !text.includes("'")) return text;
  let format = formats.get(key);
  if (format === undefined)
    formats.set(
      key,
      (format = new IntlMessageFormat(text, current, undefined, { ignoreTag: true })),
    );
  return String(format.format(values));
}

/** The texts of the app's messages by id; none in the app's own language. */
export const sentTextsInUse = () => sentTexts;
