// What was said in one go as cues that can be read: two lines of 42 characters and seven seconds at most (the limits
// most broadcasters set), cut at words, best where a sentence or a clause ends. Pure; writing files is subtitles.ts's.

import type { Cue } from "./subtitles.ts";

export type Saying = {
  startSec: number;
  endSec: number;
  text: string;
  /** Where their times are known; else all letters take equally long. */
  words?: readonly { word: string; startSec: number; endSec: number }[];
  /** Stands before the text and is not spoken: a name. */
  lead?: string;
};

const lineWidth = 42;
const longestSec = 7;
/** Beyond these a cut goes elsewhere only where nothing else is possible. */
const costOf = { cue: 1, clauseEnd: 0.4, wordEnd: 1.2, fill: 0.4, misfit: 1000 };

/** @returns cues in time order that hold all of the text; none where it is empty */
export function splitCue({ startSec, endSec, text: raw, words = [], lead = "" }: Saying): Cue[] {
  const said = raw.replace(/\s+/g, " ").trim();
  if (said === "") return [];
  const text = lead + said;
  const times = timesOf(text, lead.length, startSec, endSec, words);
  // Never between a name and what it stands before.
  const places = breaksOf(text).filter((place) => place === 0 || place > lead.length);
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let to = 1; to < places.length; to++) {
    const end = places[to]!;
    for (let from = to - 1; from >= 0; from--) {
      const part = text.slice(places[from], end).trim();
      const fits =
        lines(part) !== undefined &&
        times.end(end) - times.start(places[from]!) <= longestSec + 0.001;
      if (!fits && from < to - 1) break;
      const cost =
        (best[from]?.cost ?? Infinity) +
        costOf.cue +
        (fits ? 0 : costOf.misfit) +
        endCost(part) +
        costOf.fill * (widthOf(part) / (2 * lineWidth)) ** 2;
      if (cost < (best[to]?.cost ?? Infinity)) best[to] = { cost, from };
    }
  }
  const cues: Cue[] = [];
  for (let to = places.length - 1; to > 0; to = best[to]!.from) {
    const [from, end] = [places[best[to]!.from]!, places[to]!];
    const part = text.slice(from, end).trim();
    const beginSec = times.start(from);
    cues.unshift({
      startSec: beginSec,
      endSec: Math.min(times.end(end), beginSec + longestSec),
      text: lines(part)?.join("\n") ?? part,
    });
  }
  return cues;
}

const endCost = (part: string): number =>
  /[.!?…。！？]["'”’»)\]]*$/u.test(part)
    ? 0
    : /[,;:–—、，；：]["'”’»)\]]*$/u.test(part)
      ? costOf.clauseEnd
      : costOf.wordEnd;

/** Chinese, Japanese and Korean signs are as wide as two others. */
const wide =
  /[\u1100-\u115f\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/u;
function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += wide.test(sign) ? 2 : 1;
  return width;
}

/** Where a cue or a line may begin, from 0 to the end: behind spaces, between wide signs, and within what is longer than a line. */
function breaksOf(text: string): number[] {
  const places = [0];
  let at = 0;
  let run = 0;
  for (const sign of text) {
    at += sign.length;
    run += wide.test(sign) ? 2 : 1;
    const next = text.slice(at, at + 1);
    const isPossible =
      sign === " " ||
      (wide.test(sign) && wide.test(next) && !/[\p{P}]/u.test(next)) ||
      run >= lineWidth;
    if (isPossible && next !== " " && at < text.length) {
      places.push(at);
      run = 0;
    }
  }
  return [...places, text.length];
}

/** One line, or the two that are most alike; undefined where it takes more. */
function lines(text: string): string[] | undefined {
  const width = widthOf(text);
  if (width <= lineWidth) return [text];
  if (width > 2 * lineWidth + 1) return undefined;
  let best: string[] | undefined;
  let least = Infinity;
  let [at, widthBefore] = [0, 0];
  for (const place of breaksOf(text)) {
    widthBefore += widthOf(text.slice(at, place));
    at = place;
    // Blanks are single here: at most one is before a break, and none behind it.
    const [one, other] = [widthBefore - (text[place - 1] === " " ? 1 : 0), width - widthBefore];
    if (
      one <= 0 ||
      other <= 0 ||
      one > lineWidth ||
      other > lineWidth ||
      Math.abs(one - other) >= least
    )
      continue;
    const first = text.slice(0, place).trim();
    const cost = Math.abs(one - other) + 10 * endCost(first);
    if (cost < least) [best, least] = [[first, text.slice(place).trim()], cost];
  }
  return best;
}

type Times = {
  /** Of what begins at this place. */ start(place: number): number;
  /** Of what ends there. */ end(place: number): number;
};

function timesOf(
  text: string,
  from: number,
  startSec: number,
  endSec: number,
  words: NonNullable<Saying["words"]>,
): Times {
  const spoken: { from: number; to: number; startSec: number; endSec: number }[] = [];
  let at = from;
  for (const { word, ...span } of words) {
    const bare = word.replace(/\s+/g, " ").trim();
    const place = text.indexOf(bare, at);
    // An edit went beyond them: then they tell nothing.
    if (bare === "" || place < 0) return evenly(text, from, startSec, endSec);
    at = place + bare.length;
    spoken.push({ from: place, to: at, ...span });
  }
  if (spoken.length === 0) return evenly(text, from, startSec, endSec);
  return {
    // A word that is cut in two has its time in both parts.
    start: (place) => (spoken[firstFrom(spoken, place)] ?? spoken.at(-1))?.startSec ?? startSec,
    end: (place) => (spoken[firstFrom(spoken, place) - 1] ?? spoken[0])?.endSec ?? endSec,
  };
}

/** Index of the first word that begins at `place` or behind it: they are in order. */
function firstFrom(words: readonly { from: number }[], place: number): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle]?.from ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function evenly(text: string, from: number, startSec: number, endSec: number): Times {
  const time = (place: number): number =>
    startSec + ((endSec - startSec) * Math.max(0, place - from)) / (text.length - from);
  return { start: time, end: time };
}
