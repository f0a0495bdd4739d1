// How a channel fares: a circuit breaker that keeps requests away from one that is down, and figures for people.
// Which failures count against a channel is for the caller to say.

import type { ChannelHealth } from "../contract/channels.ts";
import type { AppError } from "../contract/errors.ts";

export type HealthPolicy = {
  /** So many failures in a row open the breaker. */
  readonly failuresToOpen: number;
  /** The first rest; it doubles with each probe that fails. */
  readonly restMs: number;
  readonly longestRestMs: number;
  /** How many of the latest answers the latencies are of. */
  readonly latencies: number;
};

const defaultPolicy: HealthPolicy = {
  failuresToOpen: 3,
  restMs: 10_000,
  longestRestMs: 120_000,
  latencies: 200,
};

/** Leave to ask the channel once. The first of `succeeded`, `failed` and `left` counts, whatever is said after it. */
export type Ticket = {
  /** The answer began: a channel that was not asked for a while is up again. */
  began(): void;
  succeeded(): void;
  /** @param countsAgainst false where the channel answered and the request was at fault: that shows it to be up; undefined where nothing was learned */
  failed(error: AppError, countsAgainst: boolean | undefined): void;
  /** Nothing was learned about the channel, for one because the client went away. */
  left(): void;
};

export type Health = {
  /** undefined: the breaker is open, or half-open with its one probe out. */
  admit(): Ticket | undefined;
  wouldAdmit(): boolean;
  /** Requests that have their ticket and are not over. */
  underWay(): number;
  /** Whole seconds until it may admit again; 0 where it does now. */
  restingSec(): number;
  view(): ChannelHealth;
};

export type HealthOptions = {
  /** Unix milliseconds. */
  now?(): number;
  policy?: Partial<HealthPolicy>;
};

export function createHealth({ now = Date.now, policy: given = {} }: HealthOptions = {}): Health {
  const policy = { ...defaultPolicy, ...given };
  const latenciesMs: number[] = [];
  let successes = 0;
  let failures = 0;
  let lastError: ChannelHealth["lastError"];
  let failuresInRow = 0;
  let underWay = 0;
  /** While the breaker is not closed. */
  let rest: { readonly sinceMs: number; readonly lengthMs: number; probing: boolean } | undefined;
  /** Counts the breaker's openings and closings: what was asked before the latest one tells nothing about after it. */
  let era = 0;

  function restLeftMs(): number {
    if (rest === undefined) return 0;
    const passedMs = now() - rest.sinceMs;
    // A clock that was put back must not prolong the rest.
    return passedMs < 0 ? 0 : Math.max(0, rest.lengthMs - passedMs);
  }

  function open(lengthMs: number): void {
    rest = { sinceMs: now(), lengthMs, probing: false };
    era += 1;
  }

  function works(): void {
    failuresInRow = 0;
    if (rest === undefined) return;
    rest = undefined;
    era += 1;
  }

  function worksNot(): void {
    failuresInRow += 1;
    if (rest !== undefined) open(Math.min(2 * rest.lengthMs, policy.longestRestMs));
    else if (failuresInRow >= policy.failuresToOpen) open(policy.restMs);
  }

  function wouldAdmit(): boolean {
    return rest === undefined || (!rest.probing && restLeftMs() === 0);
  }

  function ticket(): Ticket {
    const askedMs = now();
    let askedIn = era;
    let begun = false;
    let settled = false;
    underWay += 1;
    const settle = (outcome: () => void, verdict?: () => void): void => {
      if (settled) return;
      settled = true;
      underWay -= 1;
      outcome();
      if (askedIn !== era) return;
      if (rest !== undefined) rest.probing = false;
      verdict?.();
    };
    return {
      began() {
        if (begun || settled) return;
        begun = true;
        latenciesMs.push(Math.max(0, now() - askedMs));
        if (latenciesMs.length > policy.latencies) latenciesMs.shift();
        if (rest === undefined || askedIn !== era) return;
        works();
        // How it ends is of the time that begins with it.
        askedIn = era;
      },
      succeeded: () => settle(() => void (successes += 1), works),
      failed: (error, countsAgainst) =>
        settle(
          () => {
            failures += 1;
            lastError = { atMs: now(), message: error.message };
          },
          countsAgainst === undefined ? undefined : countsAgainst ? worksNot : works,
        ),
      left: () => settle(() => {}),
    };
  }

  return {
    wouldAdmit,
    underWay: () => underWay,
    admit() {
      if (!wouldAdmit()) return undefined;
      if (rest !== undefined) rest.probing = true;
      return ticket();
    },
    // A probe that is out will have told in a second as likely as later.
    restingSec: () => (wouldAdmit() ? 0 : Math.max(1, Math.ceil(restLeftMs() / 1000))),
    view: () => ({
      state: rest === undefined ? "closed" : restLeftMs() > 0 ? "open" : "half-open",
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
