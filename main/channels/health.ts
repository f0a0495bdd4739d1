// How a channel fares: a circuit breaker that keeps requests away from one that is down, and figures for people.
// Which failures count against a channel is for the caller to say.

import type { ChannelHealth } from "../contract/channels.ts";
import type { AppError } from "../contract/errors.ts";

export type HealthPolicy = {
  /** So many failures in a row open the breaker. */
  readonly failuresToOpen: number;
  /** The first rest; it doubles with each probe that fails. */
  readonly cooldownMs: number;
  readonly maxCooldownMs: number;
  /** How many of the latest answers the latencies are of. */
  readonly maxLatencies: number;
};

const defaultPolicy: HealthPolicy = {
  failuresToOpen: 3,
  cooldownMs: 10_000,
  maxCooldownMs: 120_000,
  maxLatencies: 200,
};

/** Leave to ask the channel once. The first of `markSucceeded`, `markFailed` and `markAbandoned` counts, whatever is said after it. */
export type Ticket = {
  /** The answer began: a channel that was not asked for a while is up again. */
  markStarted(): void;
  markSucceeded(): void;
  /** @param isChannelFault false where the channel answered and the request was at fault: that shows it to be up; undefined where nothing was learned */
  markFailed(error: AppError, isChannelFault: boolean | undefined): void;
  /** Nothing was learned about the channel, for one because the client went away. */
  markAbandoned(): void;
};

export type Health = {
  /** undefined: the breaker is open, or half-open with its one probe out. */
  admit(): Ticket | undefined;
  wouldAdmit(): boolean;
  /** Requests that have their ticket and are not over. */
  inFlightCount(): number;
  /** Whole seconds until it may admit again; 0 where it does now. */
  cooldownSec(): number;
  view(): ChannelHealth;
};

export type HealthOptions = {
  /** Unix milliseconds. */
  now?(): number;
  policy?: Partial<HealthPolicy>;
};

export function createHealth({
  now = Date.now,
  policy: policyOverrides = {},
}: HealthOptions = {}): Health {
  const policy = { ...defaultPolicy, ...policyOverrides };
  const latenciesMs: number[] = [];
  let successes = 0;
  let failures = 0;
  let lastError: ChannelHealth["lastError"];
  let consecutiveFailures = 0;
  let underWay = 0;
  /** While the breaker is not closed. */
  let cooldown:
    | { readonly sinceMs: number; readonly durationMs: number; isProbing: boolean }
    | undefined;
  /** Counts the breaker's openings and closings: what was asked before the latest one tells nothing about after it. */
  let breakerEpoch = 0;

  function remainingCooldownMs(): number {
    if (cooldown === undefined) return 0;
    const passedMs = now() - cooldown.sinceMs;
    // A clock that was put back must not prolong the rest.
    return passedMs < 0 ? 0 : Math.max(0, cooldown.durationMs - passedMs);
  }

  function openBreaker(durationMs: number): void {
    cooldown = { sinceMs: now(), durationMs, isProbing: false };
    breakerEpoch += 1;
  }

  function recordSuccess(): void {
    consecutiveFailures = 0;
    if (cooldown === undefined) return;
    cooldown = undefined;
    breakerEpoch += 1;
  }

  function recordFailure(): void {
    consecutiveFailures += 1;
    if (cooldown !== undefined)
      openBreaker(Math.min(2 * cooldown.durationMs, policy.maxCooldownMs));
    else if (consecutiveFailures >= policy.failuresToOpen) openBreaker(policy.cooldownMs);
  }

  function wouldAdmit(): boolean {
    return cooldown === undefined || (!cooldown.isProbing && remainingCooldownMs() === 0);
  }

  function createTicket(): Ticket {
    const startedMs = now();
    let ticketEpoch = breakerEpoch;
    let hasStarted = false;
    let isSettled = false;
    underWay += 1;
    const settle = (updateCounts: () => void, updateBreaker?: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      underWay -= 1;
      updateCounts();
      if (ticketEpoch !== breakerEpoch) return;
      if (cooldown !== undefined) cooldown.isProbing = false;
      updateBreaker?.();
    };
    return {
      markStarted() {
        if (hasStarted || isSettled) return;
        hasStarted = true;
        latenciesMs.push(Math.max(0, now() - startedMs));
        if (latenciesMs.length > policy.maxLatencies) latenciesMs.shift();
        if (cooldown === undefined || ticketEpoch !== breakerEpoch) return;
        recordSuccess();
        // How it ends is of the time that begins with it.
        ticketEpoch = breakerEpoch;
      },
      markSucceeded: () => settle(() => void (successes += 1), recordSuccess),
      markFailed: (error, isChannelFault) =>
        settle(
          () => {
            failures += 1;
            lastError = { atMs: now(), message: error.message };
          },
          isChannelFault === undefined ? undefined : isChannelFault ? recordFailure : recordSuccess,
        ),
      markAbandoned: () => settle(() => {}),
    };
  }

  return {
    wouldAdmit,
    inFlightCount: () => underWay,
    admit() {
      if (!wouldAdmit()) return undefined;
      if (cooldown !== undefined) cooldown.isProbing = true;
      return createTicket();
    },
    // A probe that is out will have told in a second as likely as later.
    cooldownSec: () => (wouldAdmit() ? 0 : Math.max(1, Math.ceil(remainingCooldownMs() / 1000))),
    view: () => ({
      state: cooldown === undefined ? "closed" : remainingCooldownMs() > 0 ? "open" : "half-open",
      successes,
      failures,
      ...(latenciesMs.length === 0
        ? {}
        : { p50Ms: percentile(latenciesMs, 0.5), p95Ms: percentile(latenciesMs, 0.95) }),
      ...(lastError === undefined ? {} : { lastError }),
    }),
  };
}

/** By nearest rank. */
function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1] ?? 0;
}
