// What was used in some days, summed, with the total: the answer of /app/usage and of `hearsay usage`.

import type { ApiRequest, ApiResponse } from "../contract/api.ts";
import type { UsageSum } from "../contract/usage.ts";
import type { Usage } from "./records.ts";

export type UsageReportDeps = {
  usage: Pick<Usage, "sum">;
  keys: { nameOf(id: string): string | undefined };
};

/** `from` and `to` are days of local time, both included. */
export function usageReport(
  { usage, keys }: UsageReportDeps,
  { by, from, to, key }: ApiRequest<"readUsage">,
): ApiResponse<"readUsage"> {
  const sums = usage.sum({
    by,
    ...(from === undefined ? {} : { fromMs: dayStartMs(from) }),
    ...(to === undefined ? {} : { untilMs: dayStartMs(to, 1) }),
    ...(key === undefined ? {} : { key }),
  });
  const named =
    by === "key"
      ? sums.map((sum) => ({ ...sum, group: keys.nameOf(sum.group) ?? sum.group }))
      : sums;
  return { by, sums: named, total: sums.reduce(added, { ...nothing }) };
}

/** Of a day such as `2026-11-21`, or so many days later. */
function dayStartMs(day: string, later = 0): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).getTime();
}

const nothing: UsageSum = {
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

function added(total: UsageSum, one: UsageSum): UsageSum {
  return {
    group: total.group,
    requests: total.requests + one.requests,
    failed: total.failed + one.failed,
    audioSec: total.audioSec + one.audioSec,
    characters: total.characters + one.characters,
    receivedBytes: total.receivedBytes + one.receivedBytes,
    sentBytes: total.sentBytes + one.sentBytes,
    spentUsd: total.spentUsd + one.spentUsd,
    savedUsd: total.savedUsd + one.savedUsd,
    unpriced: total.unpriced + one.unpriced,
  };
}
