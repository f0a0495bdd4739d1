// What became of every second of the sound: heard as speech, silent, failed, not heard yet, or left out on purpose. Every
// second is in exactly one stretch, so that nothing goes missing unseen.

import type { DocumentSegment, TranscriptDocument } from "../../../../main/contract/studio.ts";

export type CoverageKind = "speech" | "silence" | "failed" | "waiting" | "left-out";
export type CoverageRange = {
  readonly kind: CoverageKind;
  readonly startSec: number;
  readonly endSec: number;
};

export type CoverageInput = {
  readonly durationSec: number;
  readonly segments: readonly DocumentSegment[];
  readonly failed: TranscriptDocument["failed"];
  /** Where only a part was to be heard. */
  readonly requestedRange: {
    readonly fromSec?: number | undefined;
    readonly toSec?: number | undefined;
  };
  /** The work goes on: what comes after the last segment was not heard yet. */
  readonly isRunning: boolean;
};

/** What wins where several hold: a stretch that failed may have been heard again since. */
const priority: readonly CoverageKind[] = ["speech", "failed", "left-out", "waiting", "silence"];

/** Less between two words is part of speaking. */
const maxPauseSec = 0.5;

/** Where there was speech: by the words' own times where they are known, so that merging and splitting segments changes nothing. */
function speechRanges(
  segments: readonly DocumentSegment[],
): readonly { readonly startSec: number; readonly endSec: number }[] {
  const timedParts = segments
    .flatMap((segment): readonly { startSec: number; endSec: number }[] =>
      segment.words.length > 0 ? segment.words : [segment],
    )
    .toSorted((one, other) => one.startSec - other.startSec);
  const runs: { startSec: number; endSec: number }[] = [];
  for (const { startSec, endSec } of timedParts) {
    const last = runs.at(-1);
    if (last !== undefined && startSec - last.endSec <= maxPauseSec)
      last.endSec = Math.max(last.endSec, endSec);
    else runs.push({ startSec, endSec });
  }
  return runs;
}

/** Stretches from 0 to the end, one after the other, neighbours of different kinds. */
export function coverage({
  durationSec,
  segments,
  failed,
  requestedRange,
  isRunning,
}: CoverageInput): readonly CoverageRange[] {
  const fromSec = requestedRange.fromSec ?? 0;
  const toSec = requestedRange.toSec ?? durationSec;
  const processedToSec = Math.max(
    fromSec,
    segments.at(-1)?.endSec ?? 0,
    ...failed.map((range) => range.endSec),
  );
  const candidates: CoverageRange[] = [
    { kind: "silence", startSec: 0, endSec: durationSec },
    { kind: "left-out", startSec: 0, endSec: fromSec },
    { kind: "left-out", startSec: toSec, endSec: durationSec },
    ...(isRunning ? [{ kind: "waiting" as const, startSec: processedToSec, endSec: toSec }] : []),
    ...speechRanges(segments).map(({ startSec, endSec }) => ({
      kind: "speech" as const,
      startSec,
      endSec,
    })),
    ...failed.map(({ startSec, endSec }) => ({ kind: "failed" as const, startSec, endSec })),
  ];
  const bounds = candidates
    .filter(({ startSec, endSec }) => Math.min(endSec, durationSec) > Math.max(startSec, 0))
    .flatMap(({ kind, startSec, endSec }) => [
      { kind, atSec: Math.max(startSec, 0), step: 1 },
      { kind, atSec: Math.min(endSec, durationSec), step: -1 },
    ])
    .sort((one, other) => one.atSec - other.atSec);
  const activeCounts = { speech: 0, silence: 0, failed: 0, waiting: 0, "left-out": 0 };
  const ranges: CoverageRange[] = [];
  for (const [index, { kind, atSec, step }] of bounds.entries()) {
    activeCounts[kind] += step;
    const endSec = bounds[index + 1]?.atSec ?? atSec;
    const winner = priority.find((one) => activeCounts[one] > 0);
    if (endSec <= atSec || winner === undefined) continue;
    const last = ranges.at(-1);
    if (last?.kind === winner) ranges[ranges.length - 1] = { ...last, endSec };
    else ranges.push({ kind: winner, startSec: atSec, endSec });
  }
  return ranges;
}

/** Seconds of each kind. */
export function coverageTotalsSec(
  ranges: readonly CoverageRange[],
): Readonly<Record<CoverageKind, number>> {
  const totals = { speech: 0, silence: 0, failed: 0, waiting: 0, "left-out": 0 };
  for (const { kind, startSec, endSec } of ranges) totals[kind] += endSec - startSec;
  return totals;
}

/** Sums of fractions may fall short of a whole by a hair. */
const toWholeSeconds = (sec: number): number => Math.floor(sec + 1e-6);

/** Those seconds as whole ones that add up to the whole seconds of the sound: what is left over goes to the largest fractions. */
export function coverageWholeSeconds(
  ranges: readonly CoverageRange[],
): Readonly<Record<CoverageKind, number>> {
  const totals = coverageTotalsSec(ranges);
  const wholeSeconds = {
    speech: toWholeSeconds(totals.speech),
    silence: toWholeSeconds(totals.silence),
    failed: toWholeSeconds(totals.failed),
    waiting: toWholeSeconds(totals.waiting),
    "left-out": toWholeSeconds(totals["left-out"]),
  };
  const remainingSeconds =
    toWholeSeconds(ranges.at(-1)?.endSec ?? 0) -
    priority.reduce((sum, kind) => sum + wholeSeconds[kind], 0);
  const byFraction = priority.toSorted(
    (one, other) => totals[other] - wholeSeconds[other] - (totals[one] - wholeSeconds[one]),
  );
  for (const kind of byFraction.slice(0, remainingSeconds)) wholeSeconds[kind] += 1;
  return wholeSeconds;
}
