// When and how long each speaker talks, and the best sample of one. Pure.

import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { speechRanges } from "./coverage.ts";
import { segmentsInRange } from "./edits.ts";
import { listSpeakers, type Speaker } from "./speakers.ts";

type SpokenRange = { readonly startSec: number; readonly endSec: number };

export type SpeakerTimes = Speaker & {
  /** In order of time. */
  readonly ranges: readonly SpokenRange[];
  readonly spokenSec: number;
  /** Of all that speakers say, 0 to 1. */
  readonly share: number;
};

/** In the order in which they first speak. */
export function speakerTimes(segments: readonly DocumentSegment[]): readonly SpeakerTimes[] {
  const bySpeaker = Map.groupBy(spokenRuns(segments), ({ speaker }) => speaker);
  const timed = listSpeakers(segments).map((speaker) => {
    const ranges = bySpeaker.get(speaker.name)?.flatMap((run) => run.ranges) ?? [];
    const spokenSec = ranges.reduce((sum, { startSec, endSec }) => sum + endSec - startSec, 0);
    return { ...speaker, ranges, spokenSec };
  });
  const totalSec = timed.reduce((sum, { spokenSec }) => sum + spokenSec, 0);
  return timed.map((speaker) => ({
    ...speaker,
    share: totalSec > 0 ? speaker.spokenSec / totalSec : 0,
  }));
}

/** What each says before another one does: pauses in it that are short belong to it. */
function spokenRuns(segments: readonly DocumentSegment[]) {
  const runs: { speaker: string | undefined; ranges: readonly SpokenRange[] }[] = [];
  for (let first = 0; first < segments.length;) {
    const speaker = segments[first]?.speaker;
    let end = first + 1;
    while (end < segments.length && segments[end]?.speaker === speaker) end += 1;
    runs.push({ speaker, ranges: speechRanges(segments.slice(first, end)) });
    first = end;
  }
  return runs;
}

const maxSampleSec = 10;

/** The best sample of a speaker: long, without a pause, recognized with confidence, while nobody else talks. */
export function speakerSample(
  segments: readonly DocumentSegment[],
  name: string,
): SpokenRange | undefined {
  const speakers = speakerTimes(segments);
  const own = speakers.find((speaker) => speaker.name === name)?.ranges ?? [];
  const others = speakers.flatMap((speaker) => (speaker.name === name ? [] : speaker.ranges));
  const alone = own.filter((range) => !others.some((other) => overlaps(range, other)));
  const [best] = (alone.length > 0 ? alone : own)
    .map((range) => ({ range, sec: confidentSec(segments, range) }))
    .toSorted((one, other) => other.sec - one.sec);
  if (best === undefined) return undefined;
  const { startSec, endSec } = best.range;
  return { startSec, endSec: Math.min(endSec, startSec + maxSampleSec) };
}

/** Seconds of words in the range, each counted by its probability. */
const confidentSec = (segments: readonly DocumentSegment[], range: SpokenRange): number =>
  segmentsInRange(segments, range.startSec, range.endSec)
    .flatMap((segment): readonly (SpokenRange & { probability: number })[] =>
      segment.words.length > 0
        ? segment.words
        : [{ ...segment, probability: Math.exp(segment.avgLogprob) }],
    )
    .filter((part) => overlaps(part, range))
    .reduce((sum, { startSec, endSec, probability }) => sum + probability * (endSec - startSec), 0);

const overlaps = (one: SpokenRange, other: SpokenRange): boolean =>
  one.startSec < other.endSec && one.endSec > other.startSec;
