// What the app says in English, in the language in use: sentences of errors, notes and tests are known by their English
// text, wherever they come from and however long ago they were kept. What is not known is shown as it was sent.

import errors from "./en/errors.json" with { type: "json" };
import { languageInUse, t, type MessageKey } from "./messages.ts";

type Pattern = {
  readonly key: MessageKey;
  readonly pattern: RegExp;
  readonly names: readonly string[];
};

/** Placeholders of a text; an apostrophe is written twice in it. */
const placeholder = /\{(\w+)\}/g;
const escapeRegExp = (text: string): string =>
  text.replaceAll("''", "'").replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function patternOf([key, text]: [string, string]): Pattern {
  const names = Array.from(text.matchAll(placeholder), ([, name = ""]) => name);
  return {
    key: key as MessageKey,
    names,
    pattern: new RegExp(
      `^${text
        .split(/\{\w+\}/)
        .map(escapeRegExp)
        .join("(.*?)")}$`,
      "s",
    ),
  };
}

let patterns: readonly Pattern[] | undefined;

/** @param sentence as the app sent it */
export function localize(sentence: string): string {
  if (languageInUse() === "en") return sentence;
  patterns ??= Object.entries(errors).map(patternOf);
  for (const { key, pattern, names } of patterns) {
    const match = pattern.exec(sentence);
    // What is put in may be a sentence of the app's again.
    if (match !== null)
      return t(
        key,
        Object.fromEntries(names.map((name, at) => [name, localize(match[at + 1] ?? "")])),
      );
  }
  return sentence;
}
