// Texts of the interface: t(key, values) is a text of the language in use, in ICU message format. The texts are in
// en/ and de/, a file a room; a key begins with its room's name.

import { IntlMessageFormat } from "intl-messageformat";
import type { messages as english } from "./en.ts";

export type MessageKey = keyof typeof english;
export type Values = Readonly<Record<string, string | number | Date>>;
export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];
/** In their own language, so that everyone finds theirs. */
export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch" };

const catalogues = { en: () => import("./en.ts"), de: () => import("./de.ts") } satisfies Record<
  Language,
  () => Promise<{ messages: Record<MessageKey, string> }>
>;

let texts: Partial<Record<MessageKey, string>> = {};
let current: Language = "en";
let formats = new Map<MessageKey, IntlMessageFormat>();

/** The browser's language where it is one of ours, else English. */
export const browserLanguage = (preferred: readonly string[]): Language =>
  preferred
    .map((tag) => tag.slice(0, 2))
    .find((tag): tag is Language => languages.includes(tag as Language)) ?? "en";

export async function loadMessages(language: Language): Promise<void> {
  texts = (await catalogues[language]()).messages;
  current = language;
  formats = new Map();
}

export const languageInUse = () => current;

/** The text of a key, its values put in. Before any language is loaded (tests) it is the key. */
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
