// Usage and cost of a request: reserved against its caller's budget before each attempt, recorded when the request has
// ended. One record per request, whatever its source, and one more for each earlier attempt that a provider may charge
// for. The router reports to a request's meter; the server also counts the bytes of its requests.

import type { PriceTable } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import type { UsageRecord } from "../contract/usage.ts";
import { type Budget, checkBudget, monthStartMs, unknownPriceError } from "./budget.ts";
import { calculateCost, unitPrice } from "./pricing.ts";

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

/** The caller left before the end of the response; the number comes from nginx. */
const clientClosedStatus = 499;

/** Recorded status of a failed attempt that may be charged for, if another channel took over. */
const failedAttemptStatus = 502;

/** For an upper estimate of the duration: highly compressed recordings have 32 kbit/s. */
const minBytesPerSec = 4000;

type ActiveRequest = {
  readonly caller: string;
  readonly kind: "transcription" | "speech";
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

/** Seconds that a provider charges for an attempt that another one followed. */
const chargedSec = ({ processedSec, mediaSec }: ChannelAttempt, request: ActiveRequest) =>
  processedSec ?? mediaSec ?? expectedSecOf(request);

function expectedSecOf({ kind, expectedSec, receivedBytes }: ActiveRequest): number | undefined {
  if (kind === "speech") return expectedSec;
  return receivedBytes === 0 ? undefined : receivedBytes / minBytesPerSec;
}

const statusOf = (error: unknown, isAborted: boolean): number =>
  isAborted ? clientClosedStatus : error instanceof AppError ? error.row.status : 500;

export function createMetering({ usage, prices, budgets, now = Date.now }: MeteringDeps): Metering {
  const activeRequests = new Set<ActiveRequest>();

  function cost(
    { model, kind, characters }: ActiveRequest,
    attempt: ChannelAttempt,
    audioSec: number | undefined,
  ): { spentUsd?: number; savedUsd?: number } {
    const { isPaid } = attempt;
    return calculateCost(
      { model: isPaid ? attempt.model : model, isPaid, kind, audioSec, characters },
      prices(),
    );
  }

  /** Expected cost of an unfinished request: everything that its providers may charge, as far as known now. */
  function reservedUsd(request: ActiveRequest, countsLocal: boolean): number {
    const { attempts, audioSec = 0 } = request;
    const expectedSec = expectedSecOf(request) ?? 0;
    return attempts
      .filter(({ hasFailed }) => !hasFailed)
      .map((attempt) => {
        const isLatest = attempt === attempts.at(-1);
        const { mediaSec = expectedSec, processedSec = 0 } = attempt;
        const sec = isLatest
          ? Math.max(mediaSec, processedSec, audioSec)
          : (chargedSec(attempt, request) ?? 0);
        const { spentUsd = 0, savedUsd = 0 } = cost(request, attempt, sec);
        return spentUsd + (countsLocal ? savedUsd : 0);
      })
      .reduce((sum, usd) => sum + usd, 0);
  }

  function checkRequestBudget(
    { caller }: ActiveRequest,
    { usage: spending, budget }: { usage: Budgets; budget: Budget },
  ): void {
    const nowMs = now();
    const spentUsd = spending.spentUsd(caller, monthStartMs(nowMs), budget.countsLocal);
    // Earlier attempts of the same request count too.
    const reserved = [...activeRequests]
      .filter((request) => request.caller === caller)
      .reduce((sum, request) => sum + reservedUsd(request, budget.countsLocal), 0);
    checkBudget(budget, { spentUsd, reservedUsd: reserved, nowMs });
  }

  /** Checks and reserves in one turn of the event loop, so that concurrent requests see each other's reservations. */
  async function admit(
    request: ActiveRequest,
    attempt: ChannelAttempt,
    measureSec: (() => Promise<number>) | undefined,
  ): Promise<AttemptAdmission> {
    const { caller, kind, attempts } = request;
    const price = attempt.isPaid ? unitPrice({ model: attempt.model, kind }, prices()) : undefined;
    const budget = budgets?.forKey(caller);
    if (budgets !== undefined && budget !== undefined) {
      if (attempt.isPaid && price === undefined)
        throw unknownPriceError(budget, attempt.model, kind);
      if (budget.countsLocal || (price !== undefined && price.usd > 0)) {
        checkRequestBudget(request, { usage: budgets, budget });
        if (kind === "transcription" && attempt.isPaid && measureSec !== undefined) {
          attempt.mediaSec = await measureSec();
          checkRequestBudget(request, { usage: budgets, budget });
        }
      }
    }
    attempts.push(attempt);
    return { needsAudioSec: kind === "speech" && price?.unit === "minute" };
  }

  function writeRecords(
    request: ActiveRequest,
    { atMs, endpoint }: Pick<UsageRecord, "atMs" | "endpoint">,
  ): void {
    const { caller, model, attempts, audioSec, characters, receivedBytes, sentBytes } = request;
    const { failedStatus: status = 200 } = request;
    const common = { atMs, key: caller, endpoint, model, characters };
    const record = { ...common, durationMs: Math.max(0, now() - atMs) };
    for (const attempt of attempts.slice(0, -1).filter(({ hasFailed }) => !hasFailed)) {
      const attemptSec = chargedSec(attempt, request);
      const { spentUsd, savedUsd } = cost(request, attempt, attemptSec);
      usage.add({
        ...record,
        channel: attempt.channel,
        audioSec: attemptSec,
        status: failedAttemptStatus,
        receivedBytes: 0,
        sentBytes: 0,
        spentUsd,
        savedUsd,
      });
    }
    const latest = attempts.at(-1);
    const isPaid = latest?.isPaid ?? false;
    const isClientClosed = status === clientClosedStatus;
    // Measured duration of what the provider got; else the duration from the response, or the estimate if there was
    // none.
    const billedSec = isPaid
      ? (latest?.processedSec ?? latest?.mediaSec ?? audioSec ?? expectedSecOf(request))
      : audioSec;
    // A failure of this machine saves nothing. A provider may charge for failed or aborted requests.
    const isBillable =
      latest !== undefined && !latest.hasFailed && (isPaid || status < 400 || isClientClosed);
    const { spentUsd, savedUsd } = isBillable
      ? cost(request, latest, billedSec)
      : { spentUsd: 0, savedUsd: 0 };
    usage.add({
      ...record,
      channel: latest?.channel ?? "",
      audioSec: isClientClosed && isPaid ? billedSec : audioSec,
      status,
      receivedBytes,
      sentBytes,
      spentUsd,
      savedUsd,
    });
  }

  return {
    start(caller, endpoint) {
      const atMs = now();
      const request: ActiveRequest = {
        caller,
        kind: endpoint === "speech" ? "speech" : "transcription",
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
          if (activeRequests.delete(request)) writeRecords(request, { atMs, endpoint });
        },
      };
    },
  };
}
