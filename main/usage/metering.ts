// Usage and cost of a request: reserved against its key's budget before each attempt, recorded when the request has
// ended. One record per request, whatever its source, and one more for each earlier attempt that a provider may charge
// for.

import type { PriceTable } from "../contract/channels.ts";
import type { UsageRecord } from "../contract/usage.ts";
import { type Budget, checkBudget, monthStartMs, unknownPriceError } from "./budget.ts";
import { calculateCost, unitPrice } from "./pricing.ts";
import type { AttemptAdmission, ChannelAttempt, RequestTrace } from "./request-trace.ts";

/** Filled in while a request is served. */
export type MeteredRequest = {
  /** The caller: id of a key, or one of `ownCallers`. */
  readonly key: string;
  model: string;
  readonly trace: RequestTrace;
  audioSec?: number | undefined;
  /** Upper estimate, used until the duration of the audio is known. */
  expectedSec?: number;
  characters?: number | undefined;
  receivedBytes: number;
  sentBytes: number;
};

export type Meter = {
  readonly metered: MeteredRequest;
  /** Writes the record; later calls have no effect. */
  end(status: number): void;
};

export type Budgets = {
  /** Budget of the key with this id, even if the key was revoked meanwhile; undefined: it has none. */
  forKey(key: string): Budget | undefined;
  /** What the key has spent since then; with `countsLocal` plus what it saved. */
  spentUsd(key: string, sinceMs: number, countsLocal: boolean): number;
};

export type MeteringDeps = {
  usage: { add(record: UsageRecord): void };
  prices(): PriceTable;
  /** Omitted: no budgets. */
  budgets?: Budgets;
  now?(): number;
};

export interface Metering {
  /** @param key id of the key, or one of `ownCallers` */
  start(key: string, endpoint: UsageRecord["endpoint"]): Meter;
}

/** The client disconnected before the end of the response; the number comes from nginx. */
export const clientClosedStatus = 499;

/** Recorded status of a failed attempt that may be charged for, if another channel took over. */
const failedAttemptStatus = 502;

type ActiveRequest = {
  readonly metered: MeteredRequest;
  readonly kind: "transcription" | "speech";
};

export function createMetering({ usage, prices, budgets, now = Date.now }: MeteringDeps): Metering {
  const activeRequests = new Set<ActiveRequest>();

  function cost(
    { metered: { model, characters }, kind }: ActiveRequest,
    channelAttempt: ChannelAttempt,
    audioSec: number | undefined,
  ): { spentUsd?: number; savedUsd?: number } {
    const { isPaid } = channelAttempt;
    return calculateCost(
      { model: isPaid ? channelAttempt.model : model, isPaid, kind, audioSec, characters },
      prices(),
    );
  }

  /** Expected cost of an unfinished request: everything that its providers may charge, as far as known now. */
  function reservedUsd(activeRequest: ActiveRequest, countsLocal: boolean): number {
    const {
      trace: { latestAttempt: channelAttempt, chargedAttempts = [] },
      audioSec = 0,
      expectedSec = 0,
    } = activeRequest.metered;
    const current =
      channelAttempt === undefined || channelAttempt.hasFailed
        ? []
        : [
            {
              asked: channelAttempt,
              sec: Math.max(
                channelAttempt.mediaSec ?? expectedSec,
                channelAttempt.processedSec ?? 0,
                audioSec,
              ),
            },
          ];
    const earlier = chargedAttempts
      .filter((attempt) => attempt !== channelAttempt)
      .map((attempt) => ({
        asked: attempt,
        sec: attempt.processedSec ?? attempt.mediaSec ?? expectedSec,
      }));
    return [...current, ...earlier].reduce((sum, attempt) => {
      const { spentUsd = 0, savedUsd = 0 } = cost(activeRequest, attempt.asked, attempt.sec);
      return sum + spentUsd + (countsLocal ? savedUsd : 0);
    }, 0);
  }

  function checkRequestBudget(
    { metered: { key } }: ActiveRequest,
    { usage: spending, budget }: { usage: Budgets; budget: Budget },
  ): void {
    const nowMs = now();
    const spentUsd = spending.spentUsd(key, monthStartMs(nowMs), budget.countsLocal);
    // Earlier attempts of the same request count too.
    const reserved = [...activeRequests]
      .filter(({ metered }) => metered.key === key)
      .reduce((sum, activeRequest) => sum + reservedUsd(activeRequest, budget.countsLocal), 0);
    checkBudget(budget, { spentUsd, reservedUsd: reserved, nowMs });
  }

  /** Checks and reserves in one turn of the event loop, so that concurrent requests see each other's reservations. */
  async function admit(
    activeRequest: ActiveRequest,
    channelAttempt: ChannelAttempt,
    measureSec: (() => Promise<number>) | undefined,
  ): Promise<AttemptAdmission> {
    const { metered, kind } = activeRequest;
    const price = channelAttempt.isPaid
      ? unitPrice({ model: channelAttempt.model, kind }, prices())
      : undefined;
    const budget = budgets?.forKey(metered.key);
    if (budgets !== undefined && budget !== undefined) {
      if (channelAttempt.isPaid && price === undefined)
        throw unknownPriceError(budget, channelAttempt.model, kind);
      if (budget.countsLocal || (price !== undefined && price.usd > 0)) {
        checkRequestBudget(activeRequest, { usage: budgets, budget });
        if (kind === "transcription" && channelAttempt.isPaid && measureSec !== undefined) {
          channelAttempt.mediaSec = await measureSec();
          checkRequestBudget(activeRequest, { usage: budgets, budget });
        }
      }
    }
    metered.trace.latestAttempt = channelAttempt;
    return { needsAudioSec: kind === "speech" && price?.unit === "minute" };
  }

  return {
    start(key, endpoint) {
      const atMs = now();
      const trace: RequestTrace = {
        attempts: 0,
        admit: (channelAttempt, measureSec) => admit(activeRequest, channelAttempt, measureSec),
      };
      const metered: MeteredRequest = {
        key,
        model: "",
        trace,
        receivedBytes: 0,
        sentBytes: 0,
      };
      const activeRequest: ActiveRequest = {
        metered,
        kind: endpoint === "speech" ? "speech" : "transcription",
      };
      activeRequests.add(activeRequest);
      return {
        metered,
        end(status) {
          if (!activeRequests.delete(activeRequest)) return;
          const { model, expectedSec, characters, receivedBytes, sentBytes } = metered;
          const { latestAttempt: channelAttempt, chargedAttempts = [] } = trace;
          const isPaid = channelAttempt?.isPaid ?? false;
          const isClientClosed = status === clientClosedStatus;
          // Measured duration of what the provider got; else the duration from the response, or the estimate if there
          // was none.
          const billedSec = isPaid
            ? (channelAttempt?.processedSec ??
              channelAttempt?.mediaSec ??
              metered.audioSec ??
              expectedSec)
            : metered.audioSec;
          // A failure of this machine saves nothing. A provider may charge for failed or aborted requests.
          const isBillable =
            channelAttempt !== undefined &&
            !channelAttempt.hasFailed &&
            (isPaid || status < 400 || isClientClosed);
          const record = { atMs, key, endpoint, model, durationMs: Math.max(0, now() - atMs) };
          for (const attempt of chargedAttempts) {
            if (attempt === channelAttempt) continue;
            const audioSec = attempt.processedSec ?? attempt.mediaSec ?? expectedSec;
            const { spentUsd, savedUsd } = cost(activeRequest, attempt, audioSec);
            usage.add({
              ...record,
              channel: attempt.channel,
              audioSec,
              characters,
              status: failedAttemptStatus,
              receivedBytes: 0,
              sentBytes: 0,
              spentUsd,
              savedUsd,
            });
          }
          const { spentUsd, savedUsd } = isBillable
            ? cost(activeRequest, channelAttempt, billedSec)
            : { spentUsd: 0, savedUsd: 0 };
          const audioSec = isClientClosed && isPaid ? billedSec : metered.audioSec;
          usage.add({
            ...record,
            channel: channelAttempt?.channel ?? "",
            audioSec,
            characters,
            status,
            receivedBytes,
            sentBytes,
            spentUsd,
            savedUsd,
          });
        },
      };
    },
  };
}
