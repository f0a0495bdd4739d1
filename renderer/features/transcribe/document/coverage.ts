// Coverage: what happened to every second of the audio (speech, silence, failed, not transcribed yet, left out on
// purpose). Each second is in exactly one range, so that no gap goes unnoticed.

import type {
  DocumentSegment,
  TranscriptDocument,
} from "../../../../main/contract/transcript-document.ts";

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
  /** The part that was to be transcribed, if not all. */
  readonly requestedRange: {
    readonly fromSec?: number | undefined;
    readonly toSec?: number | undefined;
  };
  /** Work is in progress or was interrupted: audio after the last segment is not transcribed yet. */
  readonly isUnfinished: boolean;
};

/** Precedence of kinds that overlap: a failed range may have been transcribed again since. */
const priority: readonly CoverageKind[] = ["speech", "failed", "left-out", "waiting", "silence"];

/** Shorter pauses between words count as speech. */
const maxPauseSec = 0.5;

/** Ranges with speech. Uses word times if known, so that merging and splitting segments changes nothing. */
export function speechRanges(
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

/** Contiguous ranges from 0 to the end; neighbours have different kinds. */
export function coverage({
  durationSec,
  segments,
  failed,
  requestedRange,
  isUnfinished,
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
    ...(isUnfinished
      ? [{ kind: "waiting" as const, startSec: processedToSec, endSec: toSec }]
      : []),
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

export function coverageTotalsSec(
  ranges: readonly CoverageRange[],
): Readonly<Record<CoverageKind, number>> {
  const totals = { speech: 0, silence: 0, failed: 0, waiting: 0, "left-out": 0 };
  for (const { kind, startSec, endSec } of ranges) totals[kind] += endSec - startSec;
  return totals;
}

/** Rounding may make a sum of fractions slightly less than a whole number. */
const toWholeSeconds = (sec: number): number => Math.floor(sec + 1e-6);

/**
 * Whole seconds of each kind whose sum is the whole seconds of the audio; the remainder goes to the largest fractions.
 */
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
