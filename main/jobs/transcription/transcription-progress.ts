// Progress of a transcription, from the ranges that were pending when it began.

import type { Items } from "../../library/items.ts";
import { pendingLengthSec, type PendingRange } from "./pending-ranges.ts";

const intervalMs = 500;
/** Before this, the remaining time cannot be estimated. */
const minPaceMs = 2000;

/** Reports progress at most twice a second, and the remaining time at the average pace so far. */
export function createProgressReporter(
  items: Items,
  itemId: string,
  ranges: readonly PendingRange[],
  { fromSec = 0, toSec }: { fromSec: number | undefined; toSec: number | undefined },
): (processedSec: number) => void {
  const startedMs = performance.now();
  let reportedMs = -Infinity;
  return (processedSec) => {
    const nowMs = performance.now();
    const endSec = Math.min(toSec ?? Infinity, items.find(itemId)?.durationSec || Infinity);
    if (nowMs - reportedMs < intervalMs || endSec === Infinity) return;
    reportedMs = nowMs;
    const pendingSec = pendingLengthSec(ranges, endSec);
    const doneSec = pendingLengthSec(ranges, endSec, processedSec);
    // If only failed ranges are retried, they are the whole work.
    const earlierSec = ranges.some(({ failed }) => failed === undefined)
      ? Math.max(0, endSec - fromSec - pendingSec)
      : 0;
    const progress = Math.min(1, Math.max(0, (earlierSec + doneSec) / (earlierSec + pendingSec)));
    const hasPace = nowMs - startedMs > minPaceMs && doneSec > 0;
    const leftSec = ((nowMs - startedMs) / 1000 / doneSec) * Math.max(0, pendingSec - doneSec);
    items.progress(itemId, progress, hasPace ? Math.round(leftSec) : undefined);
  };
}
