// What a request costs: expected while it is served, and once its attempts have ended.

import type { PriceTable } from "../contract/channels.ts";
import type { UsageRecord } from "../contract/usage.ts";
import { calculateCost } from "./pricing.ts";

/** An attempt at a channel. A provider may charge for it even if its response was not awaited. */
export type ChannelAttempt = {
  readonly channel: string;
  readonly model: string;
  readonly isPaid: boolean;
  /** It failed before its response began, and costs nothing. */
  hasFailed: boolean;
  /** Duration of the audio that was sent or generated, as measured here. */
  mediaSec?: number;
  /** Seconds that the provider processed, if it did not process the whole file exactly once. */
  processedSec?: number;
};

/** What is known about a request while it is served. */
export type MeteredRequest = {
  readonly atMs: number;
  readonly caller: string;
  readonly endpoint: UsageRecord["endpoint"];
  model: string;
  /** Admitted attempts. All before the latest one have failed. */
  readonly attempts: ChannelAttempt[];
  audioSec: number | undefined;
  expectedSec: number | undefined;
  characters: number | undefined;
  receivedBytes: number;
  sentBytes: number;
  /** Of the first failure. */
  failedStatus: number | undefined;
};

/** For an upper estimate of the duration: highly compressed recordings have 32 kbit/s. */
const minBytesPerSec = 4000;

export const kindOf = ({ endpoint }: Pick<MeteredRequest, "endpoint">) =>
  endpoint === "speech" ? "speech" : "transcription";

/** Upper estimate of the audio's duration; undefined before anything is known. */
export function expectedSecOf(request: MeteredRequest): number | undefined {
  const { expectedSec, receivedBytes } = request;
  if (kindOf(request) === "speech") return expectedSec;
  return receivedBytes === 0 ? undefined : receivedBytes / minBytesPerSec;
}

/** Seconds that a provider charges for an attempt that another one followed. */
export const chargedSec = (
  { processedSec, mediaSec }: ChannelAttempt,
  request: MeteredRequest,
): number | undefined => processedSec ?? mediaSec ?? expectedSecOf(request);

/** In US dollars; omitted if there is no price or no quantity. */
export function attemptCost(
  request: MeteredRequest,
  { isPaid, model: providerModel }: ChannelAttempt,
  audioSec: number | undefined,
  prices: () => PriceTable,
): { spentUsd?: number; savedUsd?: number } {
  const { characters } = request;
  const model = isPaid ? providerModel : request.model;
  return calculateCost({ model, isPaid, kind: kindOf(request), audioSec, characters }, prices());
}

/**
 * Expected cost of an unfinished request in US dollars: everything that its providers may charge, as far as known now.
 * @param countsLocal adds what the work of this machine saves
 */
export function reservedUsd(
  request: MeteredRequest,
  countsLocal: boolean,
  prices: () => PriceTable,
): number {
  const { attempts, audioSec = 0 } = request;
  const expectedSec = expectedSecOf(request) ?? 0;
  return attempts
    .filter(({ hasFailed }) => !hasFailed)
    .map((attempt) => {
      const { mediaSec = expectedSec, processedSec = 0 } = attempt;
      const sec =
        attempt === attempts.at(-1)
          ? Math.max(mediaSec, processedSec, audioSec)
          : (chargedSec(attempt, request) ?? 0);
      const { spentUsd = 0, savedUsd = 0 } = attemptCost(request, attempt, sec, prices);
      return spentUsd + (countsLocal ? savedUsd : 0);
    })
    .reduce((sum, usd) => sum + usd, 0);
}
