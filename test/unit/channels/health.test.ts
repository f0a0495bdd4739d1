import { expect, it } from "vitest";
import { createHealth, type HealthPolicy } from "../../../main/channels/health.ts";
import { appError } from "../../support/app-error.ts";

const down = appError("upstream_unreachable", "It cannot be reached.");
const refused = appError("upstream_error", "Bad request.", {
  row: { status: 400, type: "invalid_request_error" },
});

function timed(policy: Partial<HealthPolicy> = {}) {
  const clock = { ms: 1_000_000 };
  const health = createHealth({ now: () => clock.ms, policy });
  const ask = () => {
    const ticket = health.admit();
    if (ticket === undefined) throw new Error("it was not admitted");
    return ticket;
  };
  const fail = (times = 1) => {
    for (let time = 0; time < times; time += 1) ask().markFailed(down, true);
  };
  return { clock, health, ask, fail };
}

it("opens after three failures in a row", () => {
  const { health, fail } = timed();
  fail(2);
  expect([health.view().state, health.wouldAdmit(), health.cooldownSec()]).toEqual([
    "closed",
    true,
    0,
  ]);
  fail();
  expect([health.view().state, health.wouldAdmit(), health.cooldownSec()]).toEqual([
    "open",
    false,
    10,
  ]);
  expect(health.admit()).toBeUndefined();
});

it("stays closed when a success or an error caused by the request comes between failures", () => {
  const { health, ask, fail } = timed();
  fail(2);
  ask().markSucceeded();
  fail(2);
  ask().markFailed(refused, false);
  fail(2);
  expect(health.view()).toMatchObject({ state: "closed", successes: 1, failures: 7 });
});

it("admits any number of rejected requests without opening", () => {
  const { health, ask } = timed();
  for (let time = 0; time < 50; time += 1) ask().markFailed(refused, false);
  expect(health.view()).toMatchObject({
    state: "closed",
    failures: 50,
    lastError: { atMs: 1_000_000, message: "Bad request." },
  });
});

it("admits one probe after the cooldown, and closes when it succeeds", () => {
  const { clock, health, ask, fail } = timed();
  fail(3);
  clock.ms += 9_001;
  expect([health.admit(), health.cooldownSec()]).toEqual([undefined, 1]);
  clock.ms += 999;
  expect([health.view().state, health.wouldAdmit()]).toEqual(["half-open", true]);
  const probe = ask();
  expect([health.admit(), health.wouldAdmit(), health.cooldownSec()]).toEqual([
    undefined,
    false,
    1,
  ]);
  probe.markSucceeded();
  expect(health.view().state).toBe("closed");
  fail(2);
  expect(health.view().state).toBe("closed");
});

it("closes when the probe fails because of its request", () => {
  const { clock, health, ask, fail } = timed();
  fail(3);
  clock.ms += 10_000;
  ask().markFailed(refused, false);
  expect(health.view().state).toBe("closed");
});

it("closes when the response to the probe starts, and counts its later failure as a new one", () => {
  const { clock, health, ask, fail } = timed();
  fail(3);
  clock.ms += 10_000;
  const probe = ask();
  probe.markStarted();
  expect([health.view().state, health.wouldAdmit()]).toEqual(["closed", true]);
  probe.markFailed(down, true);
  fail();
  expect(health.view().state).toBe("closed");
  fail();
  expect(health.view().state).toBe("open");
});

it("does not change its state for a failure that is not attributed to the channel", () => {
  const { health, ask, fail } = timed();
  fail(2);
  ask().markFailed(down, undefined);
  expect(health.view()).toMatchObject({ state: "closed", failures: 3 });
  fail();
  expect(health.view().state).toBe("open");
});

it("releases the probe of a caller that disconnected, and admits the next request as the probe", () => {
  const { clock, health, ask, fail } = timed();
  fail(3);
  clock.ms += 10_000;
  ask().markAbandoned();
  expect(health.view()).toMatchObject({ state: "half-open", successes: 0, failures: 3 });
  ask().markSucceeded();
  expect(health.view().state).toBe("closed");
});

it("doubles the cooldown after each failed probe, up to two minutes, until a request succeeds", () => {
  const { clock, health, ask, fail } = timed();
  fail(3);
  const rests: number[] = [];
  for (let time = 0; time < 6; time += 1) {
    rests.push(health.cooldownSec());
    clock.ms += health.cooldownSec() * 1000;
    fail();
  }
  expect(rests).toEqual([10, 20, 40, 80, 120, 120]);
  clock.ms += 120_000;
  ask().markSucceeded();
  fail(3);
  expect(health.cooldownSec()).toBe(10);
});

it("ignores the outcome of requests sent before the breaker opened or closed", () => {
  const { clock, health, ask, fail } = timed();
  const [early, late, lost, last] = [ask(), ask(), ask(), ask()];
  fail(3);
  early.markSucceeded();
  late.markFailed(down, true);
  expect([health.view().state, health.cooldownSec()]).toEqual(["open", 10]);
  clock.ms += 10_000;
  const probe = ask();
  lost.markAbandoned();
  expect(health.admit()).toBeUndefined();
  probe.markSucceeded();
  fail(2);
  last.markFailed(down, true);
  expect(health.view()).toMatchObject({ state: "closed", successes: 2, failures: 7 });
});

it("counts only the first outcome of a request", () => {
  const { health, ask } = timed();
  const ticket = ask();
  ticket.markSucceeded();
  ticket.markFailed(down, true);
  ticket.markAbandoned();
  const other = ask();
  other.markAbandoned();
  other.markSucceeded();
  expect(health.view()).toEqual({ state: "closed", successes: 1, failures: 0 });
});

it("does not extend the cooldown when the clock is set back", () => {
  const { clock, health, fail } = timed();
  fail(3);
  clock.ms -= 3_600_000;
  expect(health.wouldAdmit()).toBe(true);
});

it("reports the latencies of the latest 200 responses", () => {
  const { clock, health, ask } = timed();
  const answer = (ms: number) => {
    const ticket = ask();
    clock.ms += ms;
    ticket.markStarted();
    clock.ms += 5_000;
    ticket.markStarted();
    ticket.markSucceeded();
  };
  expect(health.view()).not.toHaveProperty("p50Ms");
  for (let time = 0; time < 50; time += 1) answer(60_000);
  for (let ms = 1; ms <= 200; ms += 1) answer(ms);
  expect(health.view()).toMatchObject({ p50Ms: 100, p95Ms: 190 });
});

it("applies other limits when they are configured", () => {
  const { clock, health, fail } = timed({ failuresToOpen: 1, cooldownMs: 500, maxCooldownMs: 700 });
  fail();
  clock.ms += 500;
  fail();
  clock.ms += 699;
  expect(health.wouldAdmit()).toBe(false);
  clock.ms += 1;
  expect(health.wouldAdmit()).toBe(true);
});
