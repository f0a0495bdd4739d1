// Progress of a transcription, from the ranges that were pending when it began.

import type { Items } from "../../library/items.ts";
import { estimateLeftSec } from "./paces.ts";
import { pendingLengthSec, type PendingRange } from "./pending-ranges.ts";

const minIntervalMs = 500;
/** Without results, the remaining time is reported this often. */
const idleIntervalMs = 1000;

export type ProgressReporter = {
  /** @param range the one that is being transcribed */
  report(range: PendingRange, processedSec: number): void;
  /** What was transcribed so far, and how long it took. */
  done(): { audioSec: number; tookSec: number };
  close(): void;
};

/** Reports progress and the remaining time, at most twice a second, from the start on. */
export function createProgressReporter(
  items: Pick<Items, "find" | "progress">,
  itemId: string,
  ranges: readonly PendingRange[],
  {
    fromSec = 0,
    toSec,
    expectedPace,
  }: { fromSec: number | undefined; toSec: number | undefined; expectedPace: number },
): ProgressReporter {
  const startedMs = performance.now();
  let reportedMs = -Infinity;
  let position = { range: ranges[0], processedSec: ranges[0]?.fromSec ?? fromSec };
  const endSec = (): number =>
    Math.min(toSec ?? Infinity, items.find(itemId)?.durationSec || Infinity);
  const elapsedSec = (): number => (performance.now() - startedMs) / 1000;

  function send(minimumMs: number): void {
    const nowMs = performance.now();
    const lastSec = endSec();
    if (nowMs - reportedMs < minimumMs || lastSec === Infinity) return;
    reportedMs = nowMs;
    const pendingSec = pendingLengthSec(ranges, lastSec);
    const doneSec = pendingLengthSec(ranges, lastSec, position);
    // If only failed ranges are retried, they are the whole work.
    const earlierSec = ranges.some(({ failed }) => failed === undefined)
      ? Math.max(0, lastSec - fromSec - pendingSec)
      : 0;
    const progress = Math.min(1, Math.max(0, (earlierSec + doneSec) / (earlierSec + pendingSec)));
    const elapsed = elapsedSec();
    const leftSec = estimateLeftSec({ expectedPace, elapsedSec: elapsed, doneSec, pendingSec });
    items.progress(itemId, progress, Math.round(leftSec));
  }

  if (ranges.length > 0) send(0);
  const timer = setInterval(() => send(idleIntervalMs), idleIntervalMs).unref();
  return {
    report(range, processedSec) {
      position = { range, processedSec };
      send(minIntervalMs);
    },
    done: () => ({
      audioSec: endSec() === Infinity ? 0 : pendingLengthSec(ranges, endSec(), position),
      tookSec: elapsedSec(),
    }),
    close: () => clearInterval(timer),
  };
}
