// Texts of menus, notifications and system dialogs, in the languages of the window.

import { readFileSync } from "node:fs";
import { AppError } from "../contract/errors.ts";
import {
  type InterfaceLanguage,
  interfaceLanguageCodes,
  matchInterfaceLanguage,
} from "../contract/interface-languages.ts";
import { type SentMessage, translate } from "../contract/messages/messages.ts";
import english from "../../renderer/messages/en/desktop.json" with { type: "json" };

export type Messages = Readonly<Record<keyof typeof english, string>>;
type Texts = Readonly<Partial<Record<string, string>>>;

const loaded = new Map<InterfaceLanguage, Messages>();

/** @param name of a file in the language's folder */
const readTexts = (language: InterfaceLanguage, name: string): Texts =>
  JSON.parse(
    readFileSync(new URL(`../../renderer/messages/${language}/${name}`, import.meta.url), "utf8"),
  ) as Texts;

/** @param preferred language of the window, if set; otherwise the system's, if supported */
export function messagesFor(
  preferred: InterfaceLanguage | undefined,
  systemLocale: string,
): Messages {
  const language = preferred ?? matchInterfaceLanguage([systemLocale]);
  let texts = loaded.get(language);
  if (texts === undefined)
    loaded.set(language, (texts = { ...english, ...readTexts(language, "desktop.json") }));
  return texts;
}

/** The text of an error in the language of these messages. */
export const describeError = (error: unknown, texts: Messages): string =>
  error instanceof AppError ? translateSent(error.sent, texts) : (error as Error).message;

/** The text of the app's message, which it sends in English, in the language of these messages. */
export function translateSent(sent: SentMessage, texts: Messages): string {
  const language = interfaceLanguageCodes.find((each) => loaded.get(each) === texts);
  if (language === undefined || language === "en") return sent.message;
  return translate(sent, readTexts(language, "app.json"), language);
}

/** Replaces `{name}` by the value of that name. */
export function interpolate(
  message: string,
  values: Readonly<Record<string, string | number>>,
): string {
  return message.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(values[name] ?? placeholder),
  );
}
