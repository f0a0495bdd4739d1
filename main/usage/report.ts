// Usage totals over a range of days, for /app/usage and `hearsay usage`.

import type { ApiRequest, ApiResponse } from "../contract/api.ts";
import type { UsageTotals } from "../contract/usage.ts";
import type { Usage } from "./records.ts";

export type UsageReportDeps = {
  usage: Pick<Usage, "sum">;
  keys: { nameOf(id: string): string | undefined };
};

/** `from` and `to` are days in local time, both inclusive. */
export function usageReport(
  { usage, keys }: UsageReportDeps,
  { by, from, to, key }: ApiRequest<"readUsage">,
): ApiResponse<"readUsage"> {
  const sums = usage.sum({
    by,
    ...(from === undefined ? {} : { fromMs: startOfDayMs(from) }),
    ...(to === undefined ? {} : { untilMs: startOfDayMs(to, 1) }),
    ...(key === undefined ? {} : { key }),
  });
  const namedSums =
    by === "key"
      ? sums.map((sum) => ({ ...sum, group: keys.nameOf(sum.group) ?? sum.group }))
      : sums;
  return { by, sums: namedSums, total: sums.reduce(addTotals, { ...emptyTotals }) };
}

/** Start of a day such as `2026-11-21`, or of the day `daysLater` after it. */
function startOfDayMs(day: string, daysLater = 0): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater).getTime();
}

const emptyTotals: UsageTotals = {
  group: "total",
  requests: 0,
  failed: 0,
  audioSec: 0,
  characters: 0,
  receivedBytes: 0,
  sentBytes: 0,
  spentUsd: 0,
  savedUsd: 0,
  unpriced: 0,
};

function addTotals(total: UsageTotals, addend: UsageTotals): UsageTotals {
  return {
    group: total.group,
    requests: total.requests + addend.requests,
    failed: total.failed + addend.failed,
    audioSec: total.audioSec + addend.audioSec,
    characters: total.characters + addend.characters,
    receivedBytes: total.receivedBytes + addend.receivedBytes,
    sentBytes: total.sentBytes + addend.sentBytes,
    spentUsd: total.spentUsd + addend.spentUsd,
    savedUsd: total.savedUsd + addend.savedUsd,
    unpriced: total.unpriced + addend.unpriced,
  };
}
