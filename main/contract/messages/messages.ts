// Every text that the app sends: id → English text with `{params}`, or `{param, number}` for a grouped number. A
// message is sent as this text together with its id and parameters, by which a window translates it.
// renderer/messages/<language>/app.json has the translated texts.

import type { ErrorKey } from "../error-table.ts";
import { parseLanguage } from "../languages.ts";
import { appMessages } from "./app-messages.ts";
import { audioMessages } from "./audio-messages.ts";
import { channelMessages } from "./channel-messages.ts";
import { downloadMessages } from "./download-messages.ts";
import { libraryMessages } from "./library-messages.ts";
import { modelMessages } from "./model-messages.ts";
import { narrationMessages } from "./narration-messages.ts";
import type { MessageTable } from "./message-table.ts";
import { requestMessages } from "./request-messages.ts";
import { wyomingMessages } from "./wyoming-messages.ts";

export const messages = {
  ...appMessages,
  ...requestMessages,
  ...channelMessages,
  ...audioMessages,
  ...narrationMessages,
  ...libraryMessages,
  ...downloadMessages,
  ...modelMessages,
  ...wyomingMessages,
};

type Messages = typeof messages;
export type MessageId = keyof Messages;
export type ErrorId = {
  [Id in MessageId]: Messages[Id] extends string ? never : Id;
}[MessageId];

/** A parameter may itself be a message, or a text from elsewhere, which is shown as it is. */
export type MessageParam = string | number | SentMessage;
export type MessageParams = Readonly<Record<string, MessageParam>>;
/** Without an id, the text is from elsewhere or was stored by an older version. */
export type SentMessage = {
  readonly message: string;
  readonly id?: string | undefined;
  readonly params?: MessageParams | undefined;
};

type TextOf<Id extends MessageId> = Messages[Id] extends readonly [ErrorKey, infer Text]
  ? Text
  : Messages[Id];
type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Bare}, number` ? Bare : Name) | NamesIn<Rest>
  : never;
export type ParamNames<Id extends MessageId> = NamesIn<TextOf<Id>>;
/** For one of several ids: the parameters of any of them. */
export type ParamsOf<Id extends MessageId> = Id extends MessageId
  ? ParamNames<Id> extends never
    ? Readonly<Record<string, never>>
    : Readonly<Record<ParamNames<Id>, MessageParam>>
  : never;
/** A message without parameters needs none. */
export type MessageArguments<Id extends MessageId> =
  ParamNames<Id> extends never ? [params?: ParamsOf<Id>] : [params: ParamsOf<Id>];

export function createMessage<Id extends MessageId>(
  id: Id,
  ...[params]: MessageArguments<Id>
): SentMessage {
  const entry: MessageTable[string] = messages[id];
  const text = typeof entry === "string" ? entry : entry[1];
  return params === undefined || Object.keys(params).length === 0
    ? { message: text, id }
    : { message: format(text, params, "en", ({ message }) => message), id, params };
}

export const errorKeyOf = (id: ErrorId): ErrorKey => messages[id][0];

/** In English if there is no text, or if the message was stored with other parameters than the text has now. */
export function translate(
  { message, id = "", params = {} }: SentMessage,
  texts: Readonly<Partial<Record<string, string>>>,
  locale: string,
): string {
  const text = Object.hasOwn(texts, id) ? texts[id] : undefined;
  if (text === undefined) return message;
  const names = Array.from(text.matchAll(placeholder), ([, name = ""]) => name);
  if (!names.every((name) => Object.hasOwn(params, name))) return message;
  return format(text, localizeLanguages(params, locale), locale, (part) =>
    translate(part, texts, locale),
  );
}

/** `language` and `languages` have English names, separated by commas. */
function localizeLanguages(params: MessageParams, locale: string): MessageParams {
  if (params["language"] === undefined && params["languages"] === undefined) return params;
  const names = new Intl.DisplayNames([locale], { type: "language" });
  const localizeName = (name: string): string => {
    const code = parseLanguage(name);
    // `jw` is the speech models' own code for Javanese.
    return code === undefined ? name : (names.of(code === "jw" ? "jv" : code) ?? name);
  };
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      (key === "language" || key === "languages") && typeof value === "string"
        ? value.split(", ").map(localizeName).join(", ")
        : value,
    ]),
  );
}

const placeholder = /\{(\w+)(, number)?\}/g;

const format = (
  text: string,
  params: MessageParams,
  locale: string,
  showPart: (part: SentMessage) => string,
): string =>
  text.replaceAll(placeholder, (_, name: string, isGrouped?: string) => {
    const value = params[name] ?? "";
    if (typeof value === "object") return showPart(value);
    return isGrouped === undefined ? String(value) : value.toLocaleString(locale);
  });
