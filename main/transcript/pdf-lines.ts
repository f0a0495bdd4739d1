// Breaks a paragraph into lines of runs with one font and one direction each, in the order in which they are seen.
// Right-to-left text follows Unicode's bidirectional algorithm (UAX #9).

import type { Bidi } from "bidi-js";
import type { PdfFont, PdfFonts } from "./pdf-fonts.ts";

export type LineRun = {
  readonly font: PdfFont;
  readonly text: string;
  readonly width: number;
  readonly isRightToLeft: boolean;
};
export type Line = { readonly runs: readonly LineRun[]; readonly isRightToLeft: boolean };

export type LineBreaking = {
  readonly fonts: PdfFonts;
  readonly bidi: Bidi;
  readonly maxWidth: number;
  measure(font: PdfFont, text: string, isRightToLeft: boolean): number;
};

/** A part of the text with one font and level: odd ones are written from right to left. */
type TextRun = { start: number; end: number; font: PdfFont; level: number };

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** Yields after each line. @param boldEnd offset up to which the text is bold @throws AppError if a font is missing */
export function* breakLines(
  text: string,
  boldEnd: number,
  breaking: LineBreaking,
): Generator<Line, void> {
  const { levels, paragraphs } = breaking.bidi.getEmbeddingLevels(text);
  const isRightToLeft = ((paragraphs[0]?.level ?? 0) & 1) === 1;
  const textRuns = splitByFont(text, boldEnd, levels, breaking.fonts);
  const widthOf = (start: number, end: number): number =>
    runsWithin(textRuns, start, end).reduce((sum, textRun) => sum + measure(textRun), 0);
  const measure = (textRun: TextRun): number =>
    breaking.measure(textRun.font, shownText(text, textRun, breaking.bidi), isOdd(textRun.level));
  const toLine = (start: number, end: number): Line => {
    const shownEnd = start + text.slice(start, end).trimEnd().length;
    const runs = toVisualOrder(runsWithin(textRuns, start, shownEnd)).map((textRun) => ({
      font: textRun.font,
      text: shownText(text, textRun, breaking.bidi),
      width: measure(textRun),
      isRightToLeft: isOdd(textRun.level),
    }));
    return { runs, isRightToLeft };
  };
  let start = 0;
  let width = 0;
  for (const token of tokens(text, breaking.maxWidth, widthOf)) {
    if (token.start > start && width + token.width > breaking.maxWidth) {
      yield toLine(start, token.start);
      [start, width] = [token.start, 0];
    }
    width += token.width + token.spaceWidth;
  }
  if (start < text.length) yield toLine(start, text.length);
}

type Token = { start: number; width: number; spaceWidth: number };

/** What a line may begin with: words with the signs after them, and characters of words longer than a line. */
function* tokens(
  text: string,
  maxWidth: number,
  widthOf: (start: number, end: number) => number,
): Generator<Token> {
  let start = 0;
  const tokenUntil = (end: number): Token => {
    const wordEnd = start + text.slice(start, end).trimEnd().length;
    const token = { start, width: widthOf(start, wordEnd), spaceWidth: widthOf(wordEnd, end) };
    start = end;
    return token;
  };
  for (const { segment, index } of words.segment(text)) {
    // After a space, or between words of scripts that write none.
    const isBreak =
      index > start && (/\s$/.test(text.slice(start, index)) || !/^[\p{P}\p{M}\s]/u.test(segment));
    if (isBreak && (/\s/.test(text[index - 1] ?? "") || hasNoSpaces(text, index)))
      yield tokenUntil(index);
    if (widthOf(start, index + segment.length) <= maxWidth) continue;
    for (const { index: at, segment: character } of graphemes.segment(segment)) {
      const end = index + at + character.length;
      if (index + at > start && widthOf(start, end) > maxWidth) yield tokenUntil(index + at);
    }
  }
  if (start < text.length) yield tokenUntil(text.length);
}

const noSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;
const hasNoSpaces = (text: string, index: number): boolean =>
  noSpaces.test(text.slice(index - 1, index)) || noSpaces.test(text.slice(index, index + 1));

function splitByFont(
  text: string,
  boldEnd: number,
  levels: Uint8Array,
  fonts: PdfFonts,
): readonly TextRun[] {
  const textRuns: TextRun[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const last = textRuns.at(-1);
    const level = levels[index] ?? 0;
    const preferred = index === boldEnd ? undefined : last?.font;
    const font = fonts.find(segment, index < boldEnd, preferred);
    if (last?.font === font && last.level === level) last.end = index + segment.length;
    else textRuns.push({ start: index, end: index + segment.length, font, level });
  }
  return textRuns;
}

const runsWithin = (textRuns: readonly TextRun[], start: number, end: number): TextRun[] =>
  textRuns
    .filter((textRun) => textRun.end > start && textRun.start < end)
    .map((textRun) => ({
      ...textRun,
      start: Math.max(start, textRun.start),
      end: Math.min(end, textRun.end),
    }));

/** Rule L2: from the highest level to the lowest odd one, what has it or a higher one is reversed. */
function toVisualOrder(textRuns: readonly TextRun[]): TextRun[] {
  const ordered = [...textRuns];
  const highest = ordered.reduce((max, { level }) => Math.max(max, level), 0);
  for (let level = highest; level > 0; level -= 1) {
    for (let first = 0; first < ordered.length; first += 1) {
      let end = first;
      while ((ordered[end]?.level ?? -1) >= level) end += 1;
      if (end > first) ordered.splice(first, end - first, ...ordered.slice(first, end).reverse());
      first = Math.max(first, end);
    }
  }
  return ordered;
}

const isOdd = (level: number): boolean => (level & 1) === 1;

/** Brackets are mirrored in text from right to left. Fonts reverse letters by themselves, but not signs alone. */
function shownText(text: string, { start, end, level }: TextRun, bidi: Bidi): string {
  const part = text.slice(start, end);
  if (!isOdd(level)) return part;
  const characters = Array.from(
    part,
    (character) => bidi.getMirroredCharacter(character) ?? character,
  );
  return /\p{L}/u.test(part) ? characters.join("") : characters.reverse().join("");
}
