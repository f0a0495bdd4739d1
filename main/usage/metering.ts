// Measures requests: their cost is reserved against the caller's budget before each attempt (request-cost.ts), and
// recorded when the request has ended (request-records.ts). The router reports to a request's meter; the server also
// counts the bytes of its requests.

import type { PriceTable } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import type { UsageRecord } from "../contract/usage.ts";
import { type Budget, checkBudget, monthStartMs, unknownPriceError } from "./budget.ts";
import { unitPrice } from "./pricing.ts";
import { type ChannelAttempt, kindOf, type MeteredRequest, reservedUsd } from "./request-cost.ts";
import { clientClosedStatus, toUsageRecords } from "./request-records.ts";

export type AttemptAdmission = {
  /** The price depends on the duration of the audio. */
  needsAudioSec: boolean;
};

/** Measures one request while it is served. */
export type Meter = {
  /** Id of a key, or one of `ownCallers`. */
  readonly caller: string;
  /**
   * What is requested, once it is known.
   * @param model as the client requested it
   * @param expectedSec upper estimate of the generated audio, used until its duration is known
   */
  setRequest(request: { model: string; characters?: number; expectedSec?: number }): void;
  /** Transcribed or generated audio so far; undefined if only the provider knows. */
  setAudioSec(sec: number | undefined): void;
  addReceivedBytes(count: number): void;
  addSentBytes(count: number): void;
  /**
   * Checks the budget before an attempt, which from then on counts as the latest one.
   * @param measureSec duration of the audio to send
   * @throws AppError if the attempt is not allowed
   */
  admit(
    attempt: ChannelAttempt,
    measureSec: (() => Promise<number>) | undefined,
  ): Promise<AttemptAdmission>;
  /**
   * The request failed; only the first call counts.
   * @param isAborted the caller itself aborted the request
   */
  fail(error: unknown, isAborted: boolean): void;
  /** Writes the record; later calls have no effect. */
  end(): void;
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
  /** @param caller id of a key, or one of `ownCallers` */
  start(caller: string, endpoint: UsageRecord["endpoint"]): Meter;
}

const statusOf = (error: unknown, isAborted: boolean): number =>
  isAborted ? clientClosedStatus : error instanceof AppError ? error.row.status : 500;

export function createMetering({ usage, prices, budgets, now = Date.now }: MeteringDeps): Metering {
  const activeRequests = new Set<MeteredRequest>();

  function checkRequestBudget({ caller }: MeteredRequest, spending: Budgets, budget: Budget): void {
    const { countsLocal } = budget;
    const nowMs = now();
    // Earlier attempts of the same request count too.
    const reserved = [...activeRequests]
      .filter((request) => request.caller === caller)
      .reduce((sum, request) => sum + reservedUsd(request, countsLocal, prices), 0);
    checkBudget(budget, {
      spentUsd: spending.spentUsd(caller, monthStartMs(nowMs), countsLocal),
      reservedUsd: reserved,
      nowMs,
    });
  }

  /** Checks and reserves in one turn of the event loop, so that concurrent requests see each other's reservations. */
  async function admit(
    request: MeteredRequest,
    attempt: ChannelAttempt,
    measureSec: (() => Promise<number>) | undefined,
  ): Promise<AttemptAdmission> {
    const kind = kindOf(request);
    const price = attempt.isPaid ? unitPrice({ model: attempt.model, kind }, prices()) : undefined;
    const budget = budgets?.forKey(request.caller);
    if (budgets !== undefined && budget !== undefined) {
      if (attempt.isPaid && price === undefined)
        throw unknownPriceError(budget, attempt.model, kind);
      if (budget.countsLocal || (price !== undefined && price.usd > 0)) {
        checkRequestBudget(request, budgets, budget);
        if (kind === "transcription" && attempt.isPaid && measureSec !== undefined) {
          attempt.mediaSec = await measureSec();
          checkRequestBudget(request, budgets, budget);
        }
      }
    }
    request.attempts.push(attempt);
    return { needsAudioSec: kind === "speech" && price?.unit === "minute" };
  }

  return {
    start(caller, endpoint) {
      const request: MeteredRequest = {
        atMs: now(),
        caller,
        endpoint,
        model: "",
        attempts: [],
        audioSec: undefined,
        expectedSec: undefined,
        characters: undefined,
        receivedBytes: 0,
        sentBytes: 0,
        failedStatus: undefined,
      };
      activeRequests.add(request);
      return {
        caller,
        setRequest: (details) => void Object.assign(request, details),
        setAudioSec: (sec) => void (request.audioSec = sec),
        addReceivedBytes: (count) => void (request.receivedBytes += count),
        addSentBytes: (count) => void (request.sentBytes += count),
        admit: (attempt, measureSec) => admit(request, attempt, measureSec),
        fail: (error, isAborted) => void (request.failedStatus ??= statusOf(error, isAborted)),
        end() {
          if (!activeRequests.delete(request)) return;
          for (const record of toUsageRecords(request, now(), prices)) usage.add(record);
        },
      };
    },
  };
}
