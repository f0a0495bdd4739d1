// One request's tries: whose turn it is, who is asked again and after which wait, and when to give up. Asking them is
// router.ts's work.

import { channelLimits } from "../contract/channels.ts";
import { AppError, errorTable } from "../contract/errors.ts";
import type { Ticket } from "./health.ts";
import { passes } from "./upstream-error.ts";
import type { Offer } from "./registry.ts";

/** Before the second and the third try; each is jittered by half of it either way. */
const backoffMs: readonly number[] = [250, 1_000];
/** A client is not kept waiting longer for a provider that asks for patience. */
const longestRetryAfterSec = 20;
const defaultTotalMs = channelLimits.parse({}).totalMs;

export type Turn = { readonly offer: Offer; readonly ticket: Ticket };

export type AttemptsDeps = {
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  random(): number;
  /** Rejects as soon as the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

export interface Attempts {
  /** Waits where it must. @throws AppError the first offer's where all have failed, or `channel_resting`; the signal's reason */
  next(signal: AbortSignal): Promise<Turn>;
  /** @throws the error itself where asking anybody again would be no use */
  failed(offer: Offer, error: AppError): void;
}

/** @param offers at least one, best first */
export function createAttempts(
  offers: readonly Offer[],
  { now, random, wait }: AttemptsDeps,
): Attempts {
  const lastStartMs =
    now() + Math.max(...offers.map(({ registered }) => registered.totalMs ?? defaultTotalMs));
  /** Those never asked come first: they are ready already. */
  const waiting = offers.map((offer) => ({ offer, readyMs: 0 }));
  const errors = new Map<Offer, AppError[]>();

  /** The latest of the first that failed: the others stood in for it. */
  const toTell = (): AppError | undefined => errors.values().next().value?.at(-1);

  return {
    async next(signal) {
      for (;;) {
        signal.throwIfAborted();
        const turn = waiting.shift();
        if (turn === undefined) throw toTell() ?? allRest(offers);
        const { offer, readyMs } = turn;
        const told = toTell();
        if (told !== undefined && Math.max(now(), readyMs) > lastStartMs) throw told;
        if (!offer.registered.health.wouldAdmit()) continue;
        if (readyMs > now()) await wait(readyMs - now(), signal);
        const ticket = offer.registered.health.admit();
        if (ticket !== undefined) return { offer, ticket };
      }
    },
    failed(offer, error) {
      if (!isElsewhereBetter(error)) throw error;
      const before = errors.get(offer) ?? [];
      errors.set(offer, [...before, error]);
      const backoff = backoffMs[before.length];
      const retryAfterSec = error.retryAfterSec ?? 0;
      // The local channel's pool has tried again by itself.
      if (
        backoff === undefined ||
        offer.channel.isLocal ||
        !passes(error) ||
        retryAfterSec > longestRetryAfterSec
      )
        return;
      waiting.push({
        offer,
        readyMs: now() + (retryAfterSec > 0 ? retryAfterSec * 1000 : backoff * (0.5 + random())),
      });
      waiting.sort((one, other) => one.readyMs - other.readyMs);
    },
  };
}

/** Not the request's own fault: another channel's key, limits, models or languages may do. */
function isElsewhereBetter({ key, row }: AppError): boolean {
  // Hearsay itself is ending.
  if (key === "closing") return false;
  // Another model may be free, or have a price.
  if (key === "price_unknown") return true;
  return (
    row.status >= 500 ||
    [401, 402, 403, 404, 408, 429].includes(row.status) ||
    row.code === errorTable.unsupported_language.code
  );
}

function allRest(offers: readonly Offer[]): AppError {
  const retryAfterSec = Math.max(
    1,
    Math.min(...offers.map(({ registered }) => registered.health.restingSec())),
  );
  const names = [...new Set(offers.map(({ channel }) => `'${channel.name}'`))].join(", ");
  const message = `No channel that has this model can be asked at the moment: ${names} failed several times in a row. Try again in ${retryAfterSec} s.`;
  return new AppError("channel_resting", message, { retryAfterSec });
}
