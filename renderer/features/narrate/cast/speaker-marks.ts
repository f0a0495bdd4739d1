// Marks such as `[Mara]` in a script, and edits of them. Pure. See main/text/script/script.ts for their meaning.

import {
  innerSpeakerMarkPattern,
  headingMarkPattern,
  pauseMarkPattern,
  pauseMarkSec,
  readLineStart,
} from "../../../../main/contract/script-marks.ts";
import type { TextRange } from "../script/text-ranges.ts";

/** Which names in brackets are marks: voices only at the start of a line. */
export type KnownNames = {
  isRole(name: string): boolean;
  isVoice(name: string): boolean;
};
export type SpeakerMark = TextRange & { readonly kind: "speaker"; readonly name: string };
export type ScriptMark =
  | SpeakerMark
  | (TextRange & { readonly kind: "language" })
  | (TextRange & { readonly kind: "pause"; readonly sec: number })
  | (TextRange & { readonly kind: "heading" });
export type TextChange = TextRange & { readonly text: string };

/** In order. `start` and `end` exclude white space around a mark. */
export function findScriptMarks(
  script: string,
  known: KnownNames,
  { start: from, end: to }: TextRange = { start: 0, end: script.length },
): ScriptMark[] {
  const marks: ScriptMark[] = [];
  let start = from;
  for (const line of script.slice(from, to).split("\n")) {
    if (/[[#]/.test(line)) addMarksOfLine(line, start, known, marks);
    start += line.length + 1;
  }
  return marks;
}

const isSpeakerOf =
  (known: KnownNames) =>
  (name: string): boolean =>
    known.isRole(name) || known.isVoice(name);

function addMarksOfLine(line: string, start: number, known: KnownNames, marks: ScriptMark[]): void {
  const toMark = (at: number, name: string): SpeakerMark => {
    const open = start + line.indexOf("[", at);
    return { kind: "speaker", name, start: open, end: open + name.length + 2 };
  };
  const { speaker, language, end: textStart } = readLineStart(line, isSpeakerOf(known));
  const found: ScriptMark[] = [];
  if (speaker !== undefined) found.push(toMark(speaker.start, speaker.name));
  if (language !== undefined)
    found.push({ kind: "language", start: start + language.start, end: start + language.end });
  const heading = headingMarkPattern.exec(line.slice(textStart));
  if (heading !== null) {
    const at = start + textStart + heading[0].indexOf("#");
    found.push({ kind: "heading", start: at, end: at + (heading[1]?.length ?? 0) });
  }
  for (const { 0: mark, 1: amount, 2: unit, index } of line.matchAll(pauseMarkPattern)) {
    const sec = pauseMarkSec(amount, unit);
    found.push({ kind: "pause", sec, start: start + index, end: start + index + mark.length });
  }
  for (const { 1: name = "", index } of line.matchAll(innerSpeakerMarkPattern))
    if (index >= textStart && known.isRole(name)) found.push(toMark(index, name));
  marks.push(...found.toSorted((one, other) => one.start - other.start));
}

const isSpeaker = (mark: ScriptMark): mark is SpeakerMark => mark.kind === "speaker";
const isSameName = (one: string | undefined, other: string | undefined): boolean =>
  one?.toLowerCase() === other?.toLowerCase();

/**
 * The change that makes `name` speak the passage at an offset: from the mark before it, or the start of the paragraph,
 * to the next mark, or the end of the paragraph. What follows keeps its speaker.
 * @param narrator names whoever speaks before the first mark
 */
export function assignPassage(
  script: string,
  at: number,
  name: string,
  { narrator, known }: { narrator: string; known: KnownNames },
): TextChange {
  const paragraph = paragraphAt(script, at);
  const before = findScriptMarks(script, known, { start: 0, end: paragraph.start })
    .filter(isSpeaker)
    .at(-1);
  const inside = findScriptMarks(script, known, paragraph).filter(isSpeaker);
  const textStart = skipLanguage(script, at, known);
  const own = inside.findLast(({ start }) => start <= textStart);
  const next = inside.find(({ start }) => start > textStart);
  const previous = inside[inside.findIndex((mark) => mark === own) - 1] ?? (own && before);
  const start = own?.start ?? paragraph.start;
  const markEnd = own === undefined ? start : skipSpaces(script, own.end);
  const end = next?.start ?? paragraph.end;
  const spokenBefore = (own === undefined ? before : previous)?.name ?? narrator;
  const mark = isSameName(name, spokenBefore) ? "" : `[${name}] `;
  const following = next === undefined ? nextText(script, end) : script.length;
  const spokenAfter = own?.name ?? before?.name ?? narrator;
  const needsMark =
    following < script.length &&
    !isSameName(name, spokenAfter) &&
    !startsWithMark(script, following, known);
  return needsMark
    ? {
        start,
        end: following,
        text: `${mark}${script.slice(markEnd, following)}[${spokenAfter}] `,
      }
    : { start, end: markEnd, text: mark };
}

const skipSpaces = (script: string, at: number): number =>
  at + (/^[ \t]*/.exec(script.slice(at, at + 100))?.[0].length ?? 0);

/** Also white space. A speaker may come after the language of a paragraph. */
function skipLanguage(script: string, at: number, known: KnownNames): number {
  const line = script.slice(at, lineEndAt(script, at));
  const { language, speaker } = readLineStart(line, isSpeakerOf(known));
  const isFirst = language !== undefined && language.start < (speaker?.start ?? 0);
  return skipSpaces(script, isFirst ? at + language.end : at);
}

/** Lines around an offset up to blank ones. */
function paragraphAt(script: string, at: number): TextRange {
  const isBlank = (from: number, to: number): boolean => script.slice(from, to).trim() === "";
  let start = script.lastIndexOf("\n", at - 1) + 1;
  while (start > 0) {
    const previous = start < 2 ? 0 : script.lastIndexOf("\n", start - 2) + 1;
    if (isBlank(previous, start)) break;
    start = previous;
  }
  let end = lineEndAt(script, at);
  while (end < script.length) {
    const nextEnd = lineEndAt(script, end + 1);
    if (isBlank(end, nextEnd)) break;
    end = nextEnd;
  }
  return { start, end };
}

function lineEndAt(script: string, at: number): number {
  const end = script.indexOf("\n", at);
  return end < 0 ? script.length : end;
}

/** Start of the line with the next text after an offset. */
function nextText(script: string, at: number): number {
  const blank = /^(?:[ \t]*\n)*/.exec(script.slice(at))?.[0].length ?? 0;
  return script.slice(at + blank).trim() === "" ? script.length : at + blank;
}

const startsWithMark = (script: string, at: number, known: KnownNames): boolean =>
  readLineStart(script.slice(at, lineEndAt(script, at)), isSpeakerOf(known)).speaker !== undefined;

/** Puts another name into all marks with this one. */
export function renameSpeaker(script: string, from: string, to: string, known: KnownNames): string {
  let result = "";
  let at = 0;
  for (const mark of findScriptMarks(script, known)) {
    if (mark.kind !== "speaker" || !isSameName(mark.name, from)) continue;
    result += `${script.slice(at, mark.start)}[${to}]`;
    at = mark.end;
  }
  return result + script.slice(at);
}

/** Names in brackets at the start of lines that nobody plays, most frequent first. */
export function findUncastNames(script: string, known: KnownNames): readonly string[] {
  const counts = new Map<string, number>();
  for (const [, name = ""] of script.matchAll(/^[ \t]*\[(\p{Lu}[^[\]\r\n]{0,39})\](?!\()/gmu))
    if (!known.isRole(name) && !known.isVoice(name) && !/^pause\b/i.test(name))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted((one, other) => other[1] - one[1]).map(([name]) => name);
}

/** What is being typed after `[`, with the rest of the name that is replaced with it. */
export type TypedName = TextRange & { readonly typed: string; readonly isAtLineStart: boolean };

export function typedNameAt(script: string, caret: number): TypedName | undefined {
  const lineStart = script.lastIndexOf("\n", caret - 1) + 1;
  const match = /\[([^[\]]{0,40})$/.exec(script.slice(Math.max(lineStart, caret - 41), caret));
  if (match === null) return undefined;
  const [, typed = ""] = match;
  const start = caret - typed.length - 1;
  const rest = /^[^[\]\s]{0,40}\][ \t]?/.exec(script.slice(caret, caret + 50))?.[0].length ?? 0;
  return {
    typed,
    start,
    end: caret + rest,
    isAtLineStart: script.slice(lineStart, start).trim() === "",
  };
}
