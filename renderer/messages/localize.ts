// Translates sentences that the app sends in English (errors, notes, test results). They are matched by their English
// text, because they may have been stored long ago. Unknown sentences are shown as they are.

import errors from "./en/errors.json" with { type: "json" };
import { languageInUse, t, type MessageKey } from "./messages.ts";

type Pattern = {
  readonly key: MessageKey;
  readonly pattern: RegExp;
  readonly names: readonly string[];
};

/** Placeholders of a text; ICU writes an apostrophe twice. */
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
    // A value may be such a sentence itself.
    if (match !== null)
      return t(
        key,
        Object.fromEntries(names.map((name, at) => [name, localize(match[at + 1] ?? "")])),
      );
  }
  return sentence;
}
