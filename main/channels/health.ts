// Health of a channel: a circuit breaker that keeps requests away from a failing channel, and figures for display. The
// caller decides which failures count against the channel.

import type { ChannelHealth } from "../contract/channels.ts";
import type { AppError } from "../contract/errors.ts";

export type HealthPolicy = {
  /** Consecutive failures that open the breaker. */
  readonly failuresToOpen: number;
  /** First cooldown; doubles with each failed probe. */
  readonly cooldownMs: number;
  readonly maxCooldownMs: number;
  /** Number of latest responses in the latency figures. */
  readonly maxLatencies: number;
};

const defaultPolicy: HealthPolicy = {
  failuresToOpen: 3,
  cooldownMs: 10_000,
  maxCooldownMs: 120_000,
  maxLatencies: 200,
};

/**
 * Permission for one attempt at the channel. Only the first call of `markSucceeded`, `markFailed` or `markAbandoned`
 * counts.
 */
export type Ticket = {
  /** The response began. After a cooldown this closes the breaker. */
  markStarted(): void;
  markSucceeded(): void;
  /**
   * @param isChannelFault true: counts against the channel; false: the request was at fault, so the channel is up;
   * undefined: says nothing about the channel
   */
  markFailed(error: AppError, isChannelFault: boolean | undefined): void;
  /** Says nothing about the channel, for example because the client disconnected. */
  markAbandoned(): void;
};

export type Health = {
  /** undefined: the breaker is open, or half-open with its probe in flight. */
  admit(): Ticket | undefined;
  wouldAdmit(): boolean;
  /** Requests that have a ticket and are not finished. */
  inFlightCount(): number;
  /** Whole seconds until the next admission is possible; 0: now. */
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
  /** Set while the breaker is open or half-open. */
  let cooldown:
    | { readonly sinceMs: number; readonly durationMs: number; isProbing: boolean }
    | undefined;
  /** Counts changes of the breaker's state. Results of requests from an earlier epoch do not affect the breaker. */
  let breakerEpoch = 0;

  function remainingCooldownMs(): number {
    if (cooldown === undefined) return 0;
    const passedMs = now() - cooldown.sinceMs;
    // Setting the system clock back must not prolong the cooldown.
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
        // This request's result belongs to the epoch that starts with the closed breaker.
        ticketEpoch = breakerEpoch;
      },
      markSucceeded: () => settle(() => void (successes += 1), recordSuccess),
      markFailed: (error, isChannelFault) =>
        settle(
          () => {
            failures += 1;
            lastError = { atMs: now(), ...error.sent };
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
    // The duration of a probe in flight is unknown; 1 second is a reasonable guess.
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

/** Nearest-rank method. */
function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1] ?? 0;
}
