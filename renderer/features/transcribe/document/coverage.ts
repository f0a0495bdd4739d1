// What became of every second of the sound: heard as speech, silent, failed, not heard yet, or left out on purpose. Every
// second is in exactly one stretch, so that nothing goes missing unseen.

import type { DocumentSegment, TranscriptDocument } from "../../../../main/contract/studio.ts";

export type CoverageKind = "speech" | "silence" | "failed" | "waiting" | "left-out";
export type Stretch = {
  readonly kind: CoverageKind;
  readonly startSec: number;
  readonly endSec: number;
};

export type CoverageInput = {
  readonly durationSec: number;
  readonly segments: readonly DocumentSegment[];
  readonly failed: TranscriptDocument["failed"];
  /** Where only a part was to be heard. */
  readonly part: { readonly fromSec?: number | undefined; readonly toSec?: number | undefined };
  /** The work goes on: what comes after the last segment was not heard yet. */
  readonly isRunning: boolean;
};

/** What wins where several hold: a stretch that failed may have been heard again since. */
const order: readonly CoverageKind[] = ["speech", "failed", "left-out", "waiting", "silence"];

/** Less between two words is part of speaking. */
const pauseSec = 0.5;

/** Where there was speech: by the words' own times where they are known, so that merging and splitting segments changes nothing. */
function spoken(
  segments: readonly DocumentSegment[],
): readonly { readonly startSec: number; readonly endSec: number }[] {
  const parts = segments
    .flatMap((segment): readonly { startSec: number; endSec: number }[] =>
      segment.words.length > 0 ? segment.words : [segment],
    )
    .toSorted((one, other) => one.startSec - other.startSec);
  const runs: { startSec: number; endSec: number }[] = [];
  for (const { startSec, endSec } of parts) {
    const last = runs.at(-1);
    if (last !== undefined && startSec - last.endSec <= pauseSec)
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
  part,
  isRunning,
}: CoverageInput): readonly Stretch[] {
  const fromSec = part.fromSec ?? 0;
  const toSec = part.toSec ?? durationSec;
  const heardToSec = Math.max(
    fromSec,
    segments.at(-1)?.endSec ?? 0,
    ...failed.map((stretch) => stretch.endSec),
  );
  const claims: Stretch[] = [
    { kind: "silence", startSec: 0, endSec: durationSec },
    { kind: "left-out", startSec: 0, endSec: fromSec },
    { kind: "left-out", startSec: toSec, endSec: durationSec },
    ...(isRunning ? [{ kind: "waiting" as const, startSec: heardToSec, endSec: toSec }] : []),
    ...spoken(segments).map(({ startSec, endSec }) => ({
      kind: "speech" as const,
      startSec,
      endSec,
    })),
    ...failed.map(({ startSec, endSec }) => ({ kind: "failed" as const, startSec, endSec })),
  ];
  const bounds = claims
    .filter(({ startSec, endSec }) => Math.min(endSec, durationSec) > Math.max(startSec, 0))
    .flatMap(({ kind, startSec, endSec }) => [
      { kind, atSec: Math.max(startSec, 0), step: 1 },
      { kind, atSec: Math.min(endSec, durationSec), step: -1 },
    ])
    .sort((one, other) => one.atSec - other.atSec);
  const open = { speech: 0, silence: 0, failed: 0, waiting: 0, "left-out": 0 };
  const stretches: Stretch[] = [];
  for (const [index, { kind, atSec, step }] of bounds.entries()) {
    open[kind] += step;
    const endSec = bounds[index + 1]?.atSec ?? atSec;
    const winner = order.find((one) => open[one] > 0);
    if (endSec <= atSec || winner === undefined) continue;
    const last = stretches.at(-1);
    if (last?.kind === winner) stretches[stretches.length - 1] = { ...last, endSec };
    else stretches.push({ kind: winner, startSec: atSec, endSec });
  }
  return stretches;
}

/** Seconds of each kind. */
export function coverageSums(
  stretches: readonly Stretch[],
): Readonly<Record<CoverageKind, number>> {
  const sums = { speech: 0, silence: 0, failed: 0, waiting: 0, "left-out": 0 };
  for (const { kind, startSec, endSec } of stretches) sums[kind] += endSec - startSec;
  return sums;
}

/** Sums of fractions may fall short of a whole by a hair. */
const whole = (sec: number): number => Math.floor(sec + 1e-6);

/** Those seconds as whole ones that add up to the whole seconds of the sound: what is left over goes to the largest fractions. */
export function coverageFigures(
  stretches: readonly Stretch[],
): Readonly<Record<CoverageKind, number>> {
  const sums = coverageSums(stretches);
  const figures = {
    speech: whole(sums.speech),
    silence: whole(sums.silence),
    failed: whole(sums.failed),
    waiting: whole(sums.waiting),
    "left-out": whole(sums["left-out"]),
  };
  const left =
    whole(stretches.at(-1)?.endSec ?? 0) - order.reduce((sum, kind) => sum + figures[kind], 0);
  const byFraction = order.toSorted(
    (one, other) => sums[other] - figures[other] - (sums[one] - figures[one]),
  );
  for (const kind of byFraction.slice(0, left)) figures[kind] += 1;
  return figures;
}
