// Gives what was said to who said it, by the times of words: a segment that several people share is split at the words
// where another one begins. Without such times (a provider's text) each letter is assumed to take equally long. Pure.

import type { SpeakerTurn } from "../contract/speakers.ts";
import { createTurnSearch, type TurnSearch } from "./turn-search.ts";

export type Spoken = {
  startSec: number;
  endSec: number;
  text: string;
  /** Empty or omitted if unknown. */
  words?: readonly { word: string; startSec: number; endSec: number }[];
};

/** Part of a text, from a position on, with its times. */
type Unit = { from: number; startSec: number; endSec: number };

/** Where times are only estimated, less than this is no reason to split. */
const minEstimatedSec = 1;

type WithSpeaker<Segment> = Segment & { speaker: number };

/**
 * @param turns in order of time; if there are none, one speaker says everything
 * @returns gives a segment, or each part of it, to a speaker
 */
export function createSpeakerAssignment(turns: readonly SpeakerTurn[]) {
  const search = createTurnSearch(turns);
  return <Segment extends Spoken>(segment: Segment): WithSpeaker<Segment>[] =>
    splitBySpeaker(segment, search);
}

function splitBySpeaker<Segment extends Spoken>(
  segment: Segment,
  search: TurnSearch,
): WithSpeaker<Segment>[] {
  const { words = [], text } = segment;
  const timed = locate(text, words);
  const units = timed ?? estimateTimes(segment);
  const near = search.near(segment.startSec, segment.endSec);
  let speaker: number | undefined;
  const speakers = units.map((unit) => (speaker = speakerOf(unit, near, speaker)));
  if (timed === undefined) dropShort(units, speakers);
  moveToSentenceEnds(text, units, speakers);
  const starts = units.flatMap((_, i) => (i === 0 || speakers[i] !== speakers[i - 1] ? [i] : []));
  if (starts.length <= 1)
    return [{ ...segment, speaker: speakers[0] ?? speakerOf(segment, near, undefined) }];
  return starts.map((first, part) => {
    const end = starts[part + 1] ?? units.length;
    const isLast = end === units.length;
    return {
      ...segment,
      startSec: part === 0 ? segment.startSec : (units[first]?.startSec ?? segment.startSec),
      endSec: isLast ? segment.endSec : (units[end - 1]?.endSec ?? segment.endSec),
      text: text.slice(part === 0 ? 0 : units[first]?.from, units[end]?.from).trim(),
      ...(timed === undefined ? {} : { words: words.slice(first, end) }),
      speaker: speakers[first] ?? 0,
    };
  });
}

/** Word times and turns may differ by this much where somebody else begins. */
const maxShiftSec = 0.6;

/**
 * Moves a change of speaker to the end of a sentence nearby, unless all that somebody says would go to another one:
 * most people begin with a sentence.
 */
function moveToSentenceEnds(text: string, units: readonly Unit[], speakers: number[]): void {
  const isSentenceStart = (index: number): boolean =>
    sentenceEnd.test(text.slice(units[index - 1]?.from ?? 0, units[index]?.from));
  const startOf = (index: number): number => units[index]?.startSec ?? Infinity;
  for (let change = 1; change < units.length; change++) {
    const [before, after] = [speakers[change - 1], speakers[change]];
    if (before === undefined || after === undefined || before === after || isSentenceStart(change))
      continue;
    let [first, end] = [change - 1, change + 1];
    while (speakers[first - 1] === before && !isSentenceStart(first)) first -= 1;
    while (speakers[end] === after && !isSentenceStart(end)) end += 1;
    const isAloneBefore = speakers[first - 1] !== before;
    const isAloneAfter = speakers[end] !== after;
    const beforeSec = isAloneBefore ? Infinity : startOf(change) - startOf(first);
    const afterSec = isAloneAfter ? Infinity : startOf(end) - startOf(change);
    if (Math.min(beforeSec, afterSec) > maxShiftSec) continue;
    if (beforeSec <= afterSec) speakers.fill(after, first, change);
    else speakers.fill(before, change, end);
  }
}

const sentenceEnd = /[.!?…。！？]["'”’»)\]]*\s*$/u;

/** Undefined if there are no words, or the text is no longer made of them. */
function locate(text: string, words: NonNullable<Spoken["words"]>): Unit[] | undefined {
  let at = 0;
  const units: Unit[] = [];
  for (const { word, startSec, endSec } of words) {
    const from = text.indexOf(word.trim(), at);
    if (from === -1) return undefined;
    at = from + word.trim().length;
    units.push({ from, startSec, endSec });
  }
  return units.length === 0 ? undefined : units;
}

/** Words between spaces; characters of scripts that write none. */
const estimatedUnit =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;

function estimateTimes({ text, startSec, endSec }: Spoken): Unit[] {
  const timeAt = (position: number): number =>
    startSec + ((endSec - startSec) * position) / text.length;
  return Array.from(text.matchAll(estimatedUnit), ({ index, 0: { length } }) => ({
    from: index,
    startSec: timeAt(index),
    endSec: timeAt(index + length),
  }));
}

/** Who talks during most of it, or nearest to it; of several, who talked before. */
function speakerOf(
  { startSec, endSec }: Pick<Unit, "startSec" | "endSec">,
  turns: readonly SpeakerTurn[],
  previous: number | undefined,
): number {
  let best = { speaker: previous ?? 0, overlapSec: -Infinity };
  for (const { speaker, fromSec, toSec } of turns) {
    // Negative: the distance.
    const overlapSec = Math.min(toSec, endSec) - Math.max(fromSec, startSec);
    if (overlapSec > best.overlapSec || (overlapSec === best.overlapSec && speaker === previous))
      best = { speaker, overlapSec };
  }
  return best.speaker;
}

/** Gives short parts to the speaker before, or of the first part to the one after. */
function dropShort(units: readonly Unit[], speakers: number[]): void {
  for (let first = 0; first < units.length;) {
    let end = first + 1;
    while (end < units.length && speakers[end] === speakers[first]) end += 1;
    const lengthSec = (units[end - 1]?.endSec ?? 0) - (units[first]?.startSec ?? 0);
    const neighbor = speakers[first - 1] ?? speakers[end];
    if (lengthSec < minEstimatedSec && neighbor !== undefined) speakers.fill(neighbor, first, end);
    first = end;
  }
}
