// Usage records of a request that has ended: one for the request, whatever its source, and one more for each earlier
// attempt that a provider may charge for.

import type { PriceTable } from "../contract/channels.ts";
import type { UsageRecord } from "../contract/usage.ts";
import { attemptCost, chargedSec, expectedSecOf, type MeteredRequest } from "./request-cost.ts";

/** The caller left before the end of the response; the number comes from nginx. */
export const clientClosedStatus = 499;

/** Recorded status of a failed attempt that may be charged for, if another channel took over. */
const failedAttemptStatus = 502;

export function toUsageRecords(
  request: MeteredRequest,
  endedAtMs: number,
  prices: () => PriceTable,
): UsageRecord[] {
  const { atMs, caller, endpoint, model, characters } = request;
  const durationMs = Math.max(0, endedAtMs - atMs);
  const common = { atMs, key: caller, endpoint, model, characters, durationMs };
  const charged = request.attempts.slice(0, -1).filter(({ hasFailed }) => !hasFailed);
  return [
    ...charged.map((attempt) => {
      const audioSec = chargedSec(attempt, request);
      const { spentUsd, savedUsd } = attemptCost(request, attempt, audioSec, prices);
      return {
        ...common,
        channel: attempt.channel,
        audioSec,
        status: failedAttemptStatus,
        receivedBytes: 0,
        sentBytes: 0,
        spentUsd,
        savedUsd,
      };
    }),
    { ...common, ...outcome(request, prices) },
  ];
}

/** The latest attempt, and what it cost. */
function outcome(request: MeteredRequest, prices: () => PriceTable) {
  const { attempts, audioSec, receivedBytes, sentBytes, failedStatus: status = 200 } = request;
  const latest = attempts.at(-1);
  const isPaid = latest?.isPaid ?? false;
  const isClientClosed = status === clientClosedStatus;
  // Measured duration of what the provider got; else the duration from the response, or the estimate if there was none.
  const billedSec = isPaid
    ? (latest?.processedSec ?? latest?.mediaSec ?? audioSec ?? expectedSecOf(request))
    : audioSec;
  // A failure of this machine saves nothing. A provider may charge for failed or aborted requests.
  const isBillable =
    latest !== undefined && !latest.hasFailed && (isPaid || status < 400 || isClientClosed);
  const { spentUsd, savedUsd } = isBillable
    ? attemptCost(request, latest, billedSec, prices)
    : { spentUsd: 0, savedUsd: 0 };
  return {
    channel: latest?.channel ?? "",
    audioSec: isClientClosed && isPaid ? billedSec : audioSec,
    status,
    receivedBytes,
    sentBytes,
    spentUsd,
    savedUsd,
  };
}
