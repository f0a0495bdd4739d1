// Health of a channel: whether it may get requests (circuit-breaker.ts), and figures for display.

import type { ChannelHealth } from "../contract/channels.ts";
import type { AppError } from "../contract/errors.ts";
import { type BreakerPolicy, createCircuitBreaker } from "./circuit-breaker.ts";

export type HealthPolicy = BreakerPolicy & {
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
  let inFlight = 0;
  const breaker = createCircuitBreaker(policy, now);

  function createTicket(): Ticket {
    const startedMs = now();
    const breakerTicket = breaker.admit();
    let hasStarted = false;
    let isSettled = false;
    inFlight += 1;
    const settle = (updateCounts: () => void, isUp?: boolean): void => {
      if (isSettled) return;
      isSettled = true;
      inFlight -= 1;
      updateCounts();
      breakerTicket.settle(isUp);
    };
    return {
      markStarted() {
        if (hasStarted || isSettled) return;
        hasStarted = true;
        latenciesMs.push(Math.max(0, now() - startedMs));
        if (latenciesMs.length > policy.maxLatencies) latenciesMs.shift();
        breakerTicket.markStarted();
      },
      markSucceeded: () => settle(() => void (successes += 1), true),
      markFailed: (error, isChannelFault) =>
        settle(
          () => {
            failures += 1;
            lastError = { atMs: now(), ...error.sent };
          },
          isChannelFault === undefined ? undefined : !isChannelFault,
        ),
      markAbandoned: () => settle(() => {}),
    };
  }

  return {
    wouldAdmit: breaker.wouldAdmit,
    inFlightCount: () => inFlight,
    admit: () => (breaker.wouldAdmit() ? createTicket() : undefined),
    // The duration of a probe in flight is unknown; 1 second is a reasonable guess.
    cooldownSec: () =>
      breaker.wouldAdmit() ? 0 : Math.max(1, Math.ceil(breaker.remainingCooldownMs() / 1000)),
    view: () => ({
      state: breaker.state(),
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
