// Keeps requests away from a failing channel: opens after consecutive failures, and after a cooldown admits one request
// as a probe, whose result decides. The caller decides which failures count against the channel.

export type BreakerPolicy = {
  /** Consecutive failures that open the breaker. */
  readonly failuresToOpen: number;
  /** First cooldown; doubles with each failed probe. */
  readonly cooldownMs: number;
  readonly maxCooldownMs: number;
};

/** One admitted request. */
export type BreakerTicket = {
  /** The response began. After a cooldown this closes the breaker. */
  markStarted(): void;
  /** @param isUp true: the channel works; false: counts against it; undefined: says nothing about it */
  settle(isUp: boolean | undefined): void;
};

export type CircuitBreaker = {
  state(): "closed" | "open" | "half-open";
  wouldAdmit(): boolean;
  /** Call it only if `wouldAdmit`. */
  admit(): BreakerTicket;
  /** 0 also while a probe is in flight. */
  remainingCooldownMs(): number;
};

/** @param now Unix milliseconds */
export function createCircuitBreaker(policy: BreakerPolicy, now: () => number): CircuitBreaker {
  let consecutiveFailures = 0;
  /** Set while the breaker is open or half-open. */
  let cooldown:
    | { readonly sinceMs: number; readonly durationMs: number; isProbing: boolean }
    | undefined;
  /** Counts changes of the breaker's state. Results of requests from an earlier epoch do not affect the breaker. */
  let epoch = 0;

  function remainingCooldownMs(): number {
    if (cooldown === undefined) return 0;
    const passedMs = now() - cooldown.sinceMs;
    // Setting the system clock back must not prolong the cooldown.
    return passedMs < 0 ? 0 : Math.max(0, cooldown.durationMs - passedMs);
  }

  function open(durationMs: number): void {
    cooldown = { sinceMs: now(), durationMs, isProbing: false };
    epoch += 1;
  }

  function recordSuccess(): void {
    consecutiveFailures = 0;
    if (cooldown === undefined) return;
    cooldown = undefined;
    epoch += 1;
  }

  function recordFailure(): void {
    consecutiveFailures += 1;
    if (cooldown !== undefined) open(Math.min(2 * cooldown.durationMs, policy.maxCooldownMs));
    else if (consecutiveFailures >= policy.failuresToOpen) open(policy.cooldownMs);
  }

  return {
    state: () =>
      cooldown === undefined ? "closed" : remainingCooldownMs() > 0 ? "open" : "half-open",
    wouldAdmit: () =>
      cooldown === undefined || (!cooldown.isProbing && remainingCooldownMs() === 0),
    admit() {
      if (cooldown !== undefined) cooldown.isProbing = true;
      let ticketEpoch = epoch;
      return {
        markStarted() {
          if (cooldown === undefined || ticketEpoch !== epoch) return;
          recordSuccess();
          // This request's result belongs to the epoch that starts with the closed breaker.
          ticketEpoch = epoch;
        },
        settle(isUp) {
          if (ticketEpoch !== epoch) return;
          if (cooldown !== undefined) cooldown.isProbing = false;
          if (isUp === true) recordSuccess();
          if (isUp === false) recordFailure();
        },
      };
    },
    remainingCooldownMs,
  };
}
