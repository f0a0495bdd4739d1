// What a narration's script may contain besides its text: names of speakers, languages and pauses in brackets,
// headings.

import { parseLanguage } from "./languages.ts";

/** Whose text follows, at the start of a line. Ordinary text unless the name is known. */
const speakerMarkPattern = /^[ \t]*\[([^[\]\r\n]{1,100})\](?!\()[ \t]*/;

/** The same anywhere in a line, as roles of the cast may be named. */
export const innerSpeakerMarkPattern = /\[([^[\]\r\n]{1,100})\](?!\()[ \t]*/g;

const languageTagPattern = /^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/;

/** `es`, `pt-BR` → the code. Capitals would make words of it, such as `[It]` in a quotation. */
export const parseLanguageTag = (name: string): string | undefined =>
  languageTagPattern.test(name) ? parseLanguage(name) : undefined;

/** `start` and `end` exclude white space. */
export type LineMark = { readonly name: string; readonly start: number; readonly end: number };

/** `end` is where the text begins. */
export type LineStart = {
  readonly speaker?: LineMark;
  readonly language?: LineMark;
  readonly end: number;
};

/**
 * Whose text follows at the start of a line, and in which language, in either order.
 * @param isSpeaker whether a role or a voice has the name
 */
export function readLineStart(line: string, isSpeaker: (name: string) => boolean): LineStart {
  const found: { speaker?: LineMark; language?: LineMark } = {};
  let end = 0;
  for (;;) {
    const [mark, name = ""] = speakerMarkPattern.exec(line.slice(end)) ?? [];
    const kind =
      mark === undefined ? undefined : isSpeaker(name) ? "speaker" : languageKindOf(name);
    if (mark === undefined || kind === undefined || found[kind] !== undefined)
      return { ...found, end };
    const start = end + mark.indexOf("[");
    found[kind] = { name, start, end: start + name.length + 2 };
    end += mark.length;
  }
}

const languageKindOf = (name: string): "language" | undefined =>
  parseLanguageTag(name) === undefined ? undefined : "language";

export const headingMarkPattern = /^[ \t]*(#{1,6})[ \t]+(?=\S)/;

export const pauseMarkPattern =
  /\[pause(?:[ \t]+(\d{1,4}(?:[.,]\d{1,3})?)[ \t]*(ms|s|sec|seconds?)?)?\]/giu;

/** @param amount and `unit` as in a match of `pauseMarkPattern` */
export const pauseMarkSec = (amount = "1", unit = "s"): number =>
  Number(amount.replace(",", ".")) / (unit.toLowerCase() === "ms" ? 1000 : 1);
