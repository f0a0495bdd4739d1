// The attempts of one request: which offer is next, what is retried after which delay, and when to give up. See
// attempt-loop.ts for the requests themselves.

import { channelLimits } from "../contract/channels.ts";
import { errorTable } from "../contract/error-table.ts";
import { AppError } from "../contract/errors.ts";
import type { Ticket } from "./health.ts";
import { isTransient } from "./upstream-error.ts";
import type { Offer } from "./registry.ts";

/** Before the second and third attempt at one offer; jitter is ±50 %. */
const retryDelaysMs: readonly number[] = [250, 1_000];
/** Longest `Retry-After` that is waited for while a client is waiting. */
const maxRetryAfterSec = 20;
const defaultTotalMs = channelLimits.parse({}).totalMs;

export type AdmittedOffer = { readonly offer: Offer; readonly ticket: Ticket };

export type AttemptsDeps = {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  random(): number;
  /** Rejects as soon as the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

export interface Attempts {
  /**
   * Waits if needed.
   * @throws AppError the first offer's error if all failed, or `channel_resting`; the signal's reason if it is aborted
   */
  next(signal: AbortSignal): Promise<AdmittedOffer>;
  /** @throws the error itself if neither a retry nor another offer can help */
  recordFailure(offer: Offer, error: AppError): void;
}

/** @param offers at least one, best first */
export function createAttempts(
  offers: readonly Offer[],
  { now, random, wait }: AttemptsDeps,
): Attempts {
  const startDeadlineMs =
    now() + Math.max(...offers.map(({ registered }) => registered.totalMs ?? defaultTotalMs));
  /** Untried offers come first, since they are ready at once. */
  const queue = offers.map((offer) => ({ offer, readyMs: 0 }));
  const errors = new Map<Offer, AppError[]>();

  /** Latest error of the offer that failed first: the others were only fallbacks for it. */
  const firstOfferError = (): AppError | undefined => errors.values().next().value?.at(-1);

  return {
    async next(signal) {
      for (;;) {
        signal.throwIfAborted();
        const nextOffer = queue.shift();
        if (nextOffer === undefined) throw firstOfferError() ?? allInCooldownError(offers);
        const { offer, readyMs: readyAtMs } = nextOffer;
        const firstError = firstOfferError();
        if (firstError !== undefined && Math.max(now(), readyAtMs) > startDeadlineMs)
          throw firstError;
        if (!offer.registered.health.wouldAdmit()) continue;
        if (readyAtMs > now()) await wait(readyAtMs - now(), signal);
        const ticket = offer.registered.health.admit();
        if (ticket !== undefined) return { offer, ticket };
      }
    },
    recordFailure(offer, error) {
      if (!canFallBack(error)) throw error;
      const previousErrors = errors.get(offer) ?? [];
      errors.set(offer, [...previousErrors, error]);
      const retryDelayMs = retryDelaysMs[previousErrors.length];
      const retryAfterSec = error.retryAfterSec ?? 0;
      // The local channel's pool already retried.
      if (
        retryDelayMs === undefined ||
        offer.channel.isLocal ||
        !isTransient(error) ||
        retryAfterSec > maxRetryAfterSec
      )
        return;
      queue.push({
        offer,
        readyMs:
          now() + (retryAfterSec > 0 ? retryAfterSec * 1000 : retryDelayMs * (0.5 + random())),
      });
      queue.sort((one, other) => one.readyMs - other.readyMs);
    },
  };
}

/** The request itself is not at fault: another channel's key, limits, models or languages may work. */
function canFallBack({ key, row }: AppError): boolean {
  // Hearsay itself is shutting down.
  if (key === "closing") return false;
  // Another model may be free, or have a price.
  if (key === "price_unknown") return true;
  return (
    row.status >= 500 ||
    [401, 402, 403, 404, 408, 429].includes(row.status) ||
    row.code === errorTable.unsupported_language.code
  );
}

function allInCooldownError(offers: readonly Offer[]): AppError {
  const retryAfterSec = Math.max(
    1,
    Math.min(...offers.map(({ registered }) => registered.health.cooldownSec())),
  );
  const channels = [...new Set(offers.map(({ channel }) => `'${channel.name}'`))].join(", ");
  return new AppError("channel.allPaused", { channels, seconds: retryAfterSec }, { retryAfterSec });
}
