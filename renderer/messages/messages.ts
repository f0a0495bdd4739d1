// Texts of the interface: `t(key, values)` formats a text (ICU message format) in the selected language. Each language
// has a folder with one file per area; a key starts with the area's name.
/// <reference types="vite/client" />

import { IntlMessageFormat } from "intl-messageformat";
import type { InterfaceLanguage } from "../../main/contract/interface-languages.ts";
import type { messages as english } from "./en.ts";

export type MessageKey = keyof typeof english;
export type Values = Readonly<Record<string, string | number | Date>>;
export type Texts = Readonly<Partial<Record<string, string>>>;

/** Texts that a translation lacks are filled in by the build (build/fill-translations.ts). */
const languages = import.meta.glob<{ files: Readonly<Record<string, Texts>> }>("./*/index.ts");

let texts: Texts = {};
let sentTexts: Texts = {};
let current: InterfaceLanguage = "en";
let formats = new Map<MessageKey, IntlMessageFormat>();

export async function loadMessages(language: InterfaceLanguage): Promise<void> {
  const { "./app.json": sent = {}, ...areas } =
    (await languages[`./${language}/index.ts`]?.())?.files ?? {};
  texts = Object.assign({}, ...Object.values(areas)) as Texts;
  sentTexts = sent;
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
