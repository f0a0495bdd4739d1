// Splits an utterance into readable cues: at most two lines of 42 characters and seven seconds (the limits of most
// broadcasters), cut between words, preferably at the end of a sentence or clause. Pure; see subtitles.ts for the
// files.

import { transcriptLayout } from "../contract/transcript-export.ts";
import type { Cue } from "./subtitles.ts";
import { firstIndexWhere } from "../contract/first-index-where.ts";

export type Utterance = {
  startSec: number;
  endSec: number;
  text: string;
  /** Words with times; without them all letters are assumed to take equally long. */
  words?: readonly { word: string; startSec: number; endSec: number }[];
  /** Text before the utterance that is not spoken: a name. */
  prefix?: string;
};

/** How much of a text fits into a cue; the width is in columns. */
export type CueLimits = { readonly maxLineWidth: number; readonly maxCueLines: number };

const defaultLimits: CueLimits = transcriptLayout.parse({});
const maxCueSec = 7;
/** `misfit` is so high that a cue exceeds the limits only if there is no alternative. */
const costs = { cue: 1, clauseEnd: 0.4, wordEnd: 1.2, fill: 0.4, misfit: 1000 };

/** @returns cues in time order that contain the whole text; empty if the text is empty */
export function splitCue(
  { startSec, endSec, text: rawText, words = [], prefix = "" }: Utterance,
  limits: CueLimits = defaultLimits,
): Cue[] {
  const spokenText = rawText.replace(/\s+/g, " ").trim();
  if (spokenText === "") return [];
  const text = prefix + spokenText;
  const timing = createTextTiming(text, prefix.length, startSec, endSec, words);
  // No break between a name and the text after it.
  const breaks = findBreaks(text, limits).filter(
    (position) => position === 0 || position > prefix.length,
  );
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let to = 1; to < breaks.length; to++) {
    const end = breaks[to]!;
    for (let from = to - 1; from >= 0; from--) {
      const part = text.slice(breaks[from], end).trim();
      const fits =
        wrapLines(part, limits) !== undefined &&
        timing.end(end) - timing.start(breaks[from]!) <= maxCueSec + 0.001;
      if (!fits && from < to - 1) break;
      const cost =
        (best[from]?.cost ?? Infinity) +
        costs.cue +
        (fits ? 0 : costs.misfit) +
        breakCost(part) +
        costs.fill * (displayWidth(part) / (limits.maxCueLines * limits.maxLineWidth)) ** 2;
      if (cost < (best[to]?.cost ?? Infinity)) best[to] = { cost, from };
    }
  }
  const cues: Cue[] = [];
  for (let to = breaks.length - 1; to > 0; to = best[to]!.from) {
    const [from, end] = [breaks[best[to]!.from]!, breaks[to]!];
    const part = text.slice(from, end).trim();
    const beginSec = timing.start(from);
    cues.unshift({
      startSec: beginSec,
      endSec: Math.min(timing.end(end), beginSec + maxCueSec),
      text: wrapLines(part, limits)?.join("\n") ?? part,
    });
  }
  return cues;
}

const breakCost = (part: string): number =>
  /[.!?…。！？]["'”’»)\]]*$/u.test(part)
    ? 0
    : /[,;:–—、，；：]["'”’»)\]]*$/u.test(part)
      ? costs.clauseEnd
      : costs.wordEnd;

/** Chinese, Japanese and Korean characters are two columns wide. */
const wideCharacter =
  /[\u1100-\u115f\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/u;
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += wideCharacter.test(character) ? 2 : 1;
  return width;
}

/**
 * Positions where a cue or line may start, from 0 to the end: after spaces, between wide characters, and within words
 * longer than a line.
 */
function findBreaks(text: string, { maxLineWidth }: CueLimits): number[] {
  const breaks = [0];
  let at = 0;
  let widthSinceBreak = 0;
  for (const character of text) {
    at += character.length;
    widthSinceBreak += wideCharacter.test(character) ? 2 : 1;
    const next = text.slice(at, at + 1);
    const canBreak =
      character === " " ||
      (wideCharacter.test(character) && wideCharacter.test(next) && !/[\p{P}]/u.test(next)) ||
      widthSinceBreak >= maxLineWidth;
    if (canBreak && next !== " " && at < text.length) {
      breaks.push(at);
      widthSinceBreak = 0;
    }
  }
  return [...breaks, text.length];
}

/** As few lines as possible, as equal as possible; undefined if the text needs more than the limit. */
function wrapLines(text: string, limits: CueLimits): string[] | undefined {
  const width = displayWidth(text);
  if (width <= limits.maxLineWidth) return [text];
  // Each break replaces a space.
  const fewest = Math.ceil((width + 1) / (limits.maxLineWidth + 1));
  for (let count = Math.max(2, fewest); count <= limits.maxCueLines; count += 1) {
    const lines = count === 2 ? halve(text, limits) : wrapInto(text, count, limits);
    if (lines !== undefined) return lines;
  }
  return undefined;
}

/** The first line is about as long as each of the others. */
function wrapInto(text: string, count: number, limits: CueLimits): string[] | undefined {
  const lineWidth = displayWidth(text) / count;
  let best: string[] | undefined;
  let minCost = Infinity;
  for (const position of findBreaks(text, limits)) {
    const [first, rest] = [text.slice(0, position).trim(), text.slice(position).trim()];
    const cost = Math.abs(displayWidth(first) - lineWidth) + 10 * breakCost(first);
    if (first === "" || displayWidth(first) > limits.maxLineWidth || cost >= minCost) continue;
    const others = wrapLines(rest, { ...limits, maxCueLines: count - 1 });
    if (others !== undefined) [best, minCost] = [[first, ...others], cost];
  }
  return best;
}

/** The two most equal lines. */
function halve(text: string, limits: CueLimits): string[] | undefined {
  const { maxLineWidth } = limits;
  const width = displayWidth(text);
  let best: string[] | undefined;
  let minCost = Infinity;
  let [at, widthBefore] = [0, 0];
  for (const position of findBreaks(text, limits)) {
    widthBefore += displayWidth(text.slice(at, position));
    at = position;
    // Spaces are single here: at most one before a break, none after it.
    const [firstWidth, secondWidth] = [
      widthBefore - (text[position - 1] === " " ? 1 : 0),
      width - widthBefore,
    ];
    if (
      firstWidth <= 0 ||
      secondWidth <= 0 ||
      firstWidth > maxLineWidth ||
      secondWidth > maxLineWidth ||
      Math.abs(firstWidth - secondWidth) >= minCost
    )
      continue;
    const first = text.slice(0, position).trim();
    const cost = Math.abs(firstWidth - secondWidth) + 10 * breakCost(first);
    if (cost < minCost) [best, minCost] = [[first, text.slice(position).trim()], cost];
  }
  return best;
}

type TextTiming = {
  /** Time at which the text at this position starts. */ start(position: number): number;
  /** Time at which the text before this position ends. */ end(position: number): number;
};

function createTextTiming(
  text: string,
  from: number,
  startSec: number,
  endSec: number,
  words: NonNullable<Utterance["words"]>,
): TextTiming {
  const timedWords: { from: number; to: number; startSec: number; endSec: number }[] = [];
  let at = from;
  for (const { word, ...span } of words) {
    const wordText = word.replace(/\s+/g, " ").trim();
    const position = text.indexOf(wordText, at);
    // The text was edited, so the word times no longer match it.
    if (wordText === "" || position < 0) return createEvenTiming(text, from, startSec, endSec);
    at = position + wordText.length;
    timedWords.push({ from: position, to: at, ...span });
  }
  if (timedWords.length === 0) return createEvenTiming(text, from, startSec, endSec);
  return {
    // A word that is cut in two has its full time in both parts.
    start: (position) =>
      (timedWords[firstIndexFrom(timedWords, position)] ?? timedWords.at(-1))?.startSec ?? startSec,
    end: (position) =>
      (timedWords[firstIndexFrom(timedWords, position) - 1] ?? timedWords[0])?.endSec ?? endSec,
  };
}

/** Index of the first word that starts at `position` or later; words are sorted. */
const firstIndexFrom = (words: readonly { from: number }[], position: number): number =>
  firstIndexWhere(words, ({ from }) => from >= position);

function createEvenTiming(
  text: string,
  from: number,
  startSec: number,
  endSec: number,
): TextTiming {
  const time = (position: number): number =>
    startSec + ((endSec - startSec) * Math.max(0, position - from)) / (text.length - from);
  return { start: time, end: time };
}
