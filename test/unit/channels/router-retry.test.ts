// Which channels are retried, after which delay, and which error is reported when none can serve.

import { describe, expect, it } from "vitest";
import { createHealth, type Health } from "../../../main/channels/health.ts";
import { createRegistry, type RegisteredChannel } from "../../../main/channels/registry.ts";
import { createRouter } from "../../../main/channels/router.ts";
import { createMetering } from "../../../main/usage/metering.ts";
import { appError } from "../../support/app-error.ts";
import { AppError } from "../../../main/contract/errors.ts";
import { type ErrorKey } from "../../../main/contract/error-table.ts";
import {
  createFakeChannel,
  failingIterable,
  fakeTranscript,
  toRegisteredChannel,
  streamTranscript,
} from "../../support/fake-channel.ts";
import { asOwner, transcriptionJob, createTestRouter } from "../../support/test-router.ts";

const providerError = (status: number, retryAfterSec?: number) =>
  appError("upstream_error", `The provider says ${status}.`, {
    row: { status, type: "x" },
    ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
  });
const own = (key: ErrorKey) => appError(key, `It is ${key}.`);
const unreachable = own("upstream_unreachable");

/** Channels with one prefix, tried in this order. Each throws its list of errors, one per attempt, then serves. */
function cluster(
  failures: Record<string, readonly unknown[]>,
  parts: Partial<RegisteredChannel> = {},
) {
  const attempted: string[] = [];
  const channels = Object.entries(failures).map(([name, errors], priority) => {
    let tries = 0;
    const channel = createFakeChannel({
      name,
      isLocal: name === "local",
      transcribe(job) {
        attempted.push(name);
        const error = errors[tries];
        tries += 1;
        return error === undefined
          ? streamTranscript(fakeTranscript(job))
          : failingIterable(() => error);
      },
    });
    return toRegisteredChannel(channel, { prefix: "x", priority, ...parts });
  });
  const test = createTestRouter(channels);
  return {
    ...test,
    attempted,
    channels,
    transcribe: (signal?: AbortSignal) => test.transcribe({ model: "x/whisper-1" }, signal),
  };
}

const near = (waits: readonly number[], bases: readonly number[]) => {
  expect(waits).toHaveLength(bases.length);
  for (const [at, base] of bases.entries()) {
    expect(waits[at]).toBeGreaterThanOrEqual(base * 0.5);
    expect(waits[at]).toBeLessThan(base * 1.5);
  }
};

const resting = (cooldownMs: number): Health => {
  const health = createHealth({ now: () => 0, policy: { failuresToOpen: 1, cooldownMs } });
  health.admit()?.markFailed(unreachable, true);
  return health;
};

/** Two channels and a router over them. */
function pair(transcribe: () => AsyncIterable<never>) {
  const channels = ["a", "b"].map((name) => createFakeChannel({ name, transcribe }));
  const all = channels.map((channel, priority) => toRegisteredChannel(channel, { priority }));
  return {
    channels,
    views: () => all.map(({ health }) => health.view()),
    ...createTestRouter(all),
  };
}

describe("a single channel", () => {
  it.each([
    ["unreachable", unreachable],
    ["busy", providerError(429)],
    ["failing with 500", providerError(500)],
    ["failing with 502", providerError(502)],
    ["failing with 503", providerError(503)],
    ["failing with 504", providerError(504)],
  ])("that is %s is retried twice, the second time after a longer delay", async (_, error) => {
    const { transcribe, attempted, waitsMs } = cluster({ a: [error, error] });
    expect((await transcribe()).served).toMatchObject({
      channel: "a",
      model: "x/whisper-1",
      isPaid: false,
      attempts: 3,
    });
    expect(attempted).toEqual(["a", "a", "a"]);
    near(waitsMs, [250, 1000]);
  });

  it("is not tried a fourth time", async () => {
    const { transcribe, attempted } = cluster({
      a: [providerError(429), providerError(429), providerError(429)],
    });
    await expect(transcribe()).rejects.toMatchObject({ row: { status: 429 } });
    expect(attempted).toHaveLength(3);
  });

  it("is not retried by all callers at the same moments", async () => {
    const firstWaits = await Promise.all(
      [1, 2, 3, 4].map(async (seed) => {
        const { transcribe, waitsMs } = createTestRouter(
          [
            toRegisteredChannel(
              createFakeChannel({ transcribe: () => failingIterable(() => unreachable) }),
            ),
          ],
          { seed },
        );
        await transcribe().catch(() => {});
        return waitsMs[0];
      }),
    );
    expect(new Set(firstWaits).size).toBe(4);
  });

  it.each([400, 401, 403, 404, 408, 409, 413, 415, 422, 501, 505].map(providerError))(
    "is not retried after $row.status",
    async (error) => {
      const { transcribe, attempted, waitsMs } = cluster({ a: [error] });
      await expect(transcribe()).rejects.toBe(error);
      expect([attempted, waitsMs]).toEqual([["a"], []]);
    },
  );

  it.each([
    "upstream_timeout",
    "upstream_broken",
    "unsupported_language",
    "undecodable_audio",
  ] as const)("is not retried after the error %s", async (key) => {
    const { transcribe, attempted } = cluster({ a: [own(key)] });
    await expect(transcribe()).rejects.toMatchObject({ key });
    expect(attempted).toEqual(["a"]);
  });

  it("is retried after the delay that it requests", async () => {
    const { transcribe, waitsMs } = cluster({ a: [providerError(429, 7), providerError(503, 20)] });
    expect((await transcribe()).served.attempts).toBe(3);
    expect(waitsMs).toEqual([7000, 20_000]);
  });

  it("that requests a delay of more than twenty seconds is not retried, and its error is passed on", async () => {
    const { transcribe, attempted, waitsMs } = cluster({
      a: [providerError(503), providerError(429, 21)],
    });
    await expect(transcribe()).rejects.toMatchObject({ row: { status: 429 }, retryAfterSec: 21 });
    expect(attempted).toEqual(["a", "a"]);
    near(waitsMs, [250]);
  });
});

describe("several channels", () => {
  it.each([
    providerError(401),
    providerError(402),
    providerError(403),
    providerError(404),
    providerError(408),
    providerError(429),
    providerError(500),
    providerError(507),
    unreachable,
    own("upstream_timeout"),
    own("upstream_broken"),
    own("unsupported_language"),
    own("unknown_model"),
    own("engine_failed"),
    own("channel_closed"),
  ])("replace each other at once: $message", async (error) => {
    const { transcribe, attempted, waitsMs } = cluster({ a: [error], b: [] });
    expect((await transcribe()).served).toMatchObject({ channel: "b", attempts: 2 });
    expect([attempted, waitsMs]).toEqual([["a", "b"], []]);
  });

  it.each([
    providerError(400),
    providerError(409),
    providerError(413),
    providerError(422),
    own("undecodable_audio"),
    own("audio_too_short"),
  ])("do not repeat a request that is itself the cause of the error: $message", async (error) => {
    const { transcribe, attempted } = cluster({ a: [error], b: [] });
    await expect(transcribe()).rejects.toBe(error);
    expect(attempted).toEqual(["a"]);
  });

  it("are all tried once before one is retried", async () => {
    const { transcribe, attempted } = cluster({
      a: [unreachable, unreachable],
      b: [providerError(503, 0.9), providerError(401)],
      c: [providerError(403)],
    });
    expect((await transcribe()).served).toMatchObject({ channel: "a", attempts: 6 });
    expect(attempted).toEqual(["a", "b", "c", "a", "b", "a"]);
  });

  it("are retried in the order in which their delays end", async () => {
    const { transcribe, attempted, waitsMs } = cluster({
      a: [providerError(429, 15)],
      b: [providerError(429, 2), providerError(429, 4), providerError(401)],
    });
    expect((await transcribe()).served).toMatchObject({ channel: "a", attempts: 5 });
    expect([attempted, waitsMs]).toEqual([
      ["a", "b", "b", "b", "a"],
      [2000, 4000, 9000],
    ]);
  });

  it("report the error of the first where all have failed", async () => {
    const { transcribe, attempted } = cluster({
      a: [providerError(401)],
      b: [providerError(429, 60)],
      c: [own("upstream_broken")],
    });
    await expect(transcribe()).rejects.toMatchObject({ row: { status: 401 } });
    expect(attempted).toEqual(["a", "b", "c"]);
  });

  it("are not retried after the longest of their time limits", async () => {
    const slow = createFakeChannel({
      name: "slow",
      transcribe: () =>
        failingIterable(() => {
          test.clock.ms += 5_001;
          return unreachable;
        }),
    });
    const other = createFakeChannel({ name: "other" });
    const test = createTestRouter([
      toRegisteredChannel(slow, { priority: 0, totalMs: 5_000 }),
      toRegisteredChannel(other, { totalMs: 4_000 }),
    ]);
    await expect(test.transcribe()).rejects.toBe(unreachable);
    expect([slow.transcriptionJobs.length, other.transcriptionJobs.length, test.waitsMs]).toEqual([
      1,
      0,
      [],
    ]);
  });

  it("are not waited for beyond that time limit", async () => {
    const { transcribe, attempted, waitsMs } = cluster(
      { a: [providerError(429, 15)] },
      { totalMs: 14_000 },
    );
    await expect(transcribe()).rejects.toMatchObject({ row: { status: 429 } });
    expect([attempted, waitsMs]).toEqual([["a"], []]);
  });

  it("rethrow an unexpected error unchanged", async () => {
    const bug = new TypeError("it is undefined");
    const { transcribe, attempted, channels } = cluster({ a: [bug], b: [] });
    await expect(transcribe()).rejects.toBe(bug);
    expect([attempted, channels[0]?.health.view().failures]).toEqual([["a"], 0]);
  });
});

describe("this machine", () => {
  it("is not retried by the router, and is replaced by other channels", async () => {
    const { transcribe, attempted } = cluster({ local: [own("engine_failed")], b: [] });
    expect((await transcribe()).served).toMatchObject({
      channel: "b",
      model: "x/whisper-1",
      isPaid: false,
      attempts: 2,
    });
    expect(attempted).toEqual(["local", "b"]);
    const alone = cluster({ local: [unreachable] });
    await expect(alone.transcribe()).rejects.toBe(unreachable);
    expect(alone.attempted).toEqual(["local"]);
  });

  it("is tried however often it failed before", async () => {
    const { transcribe, attempted, channels } = cluster({
      local: Array.from({ length: 10 }, () => own("engine_failed")),
    });
    for (let time = 0; time < 10; time += 1)
      await expect(transcribe()).rejects.toMatchObject({ key: "engine_failed" });
    expect((await transcribe()).served).toMatchObject({ channel: "local" });
    expect(attempted).toHaveLength(11);
    expect(channels[0]?.health.view()).toMatchObject({
      state: "closed",
      successes: 1,
      failures: 10,
    });
  });

  it("does not pass its work on while Hearsay shuts down", async () => {
    const { transcribe, attempted } = cluster({ local: [own("closing")], b: [] });
    await expect(transcribe()).rejects.toMatchObject({ key: "closing" });
    expect(attempted).toEqual(["local"]);
  });
});

describe("a channel in its cooldown", () => {
  it("is skipped", async () => {
    const [a, b] = [createFakeChannel({ name: "a" }), createFakeChannel({ name: "b" })];
    const { transcribe } = createTestRouter([
      toRegisteredChannel(a, { priority: 0, health: resting(9000) }),
      toRegisteredChannel(b),
    ]);
    expect((await transcribe()).served).toMatchObject({ channel: "b", attempts: 1 });
    expect(a.transcriptionJobs).toEqual([]);
  });

  it("is reported with the time until the first one is available, when all are in their cooldown", async () => {
    const all = [9000, 4200].map((restMs, at) =>
      toRegisteredChannel(createFakeChannel({ name: `c${at}` }), { health: resting(restMs) }),
    );
    const { router, transcribe } = createTestRouter(all);
    await expect(transcribe()).rejects.toMatchObject({
      key: "channel_resting",
      retryAfterSec: 5,
      message: expect.stringContaining("'c0', 'c1'"),
    });
    expect(() => router.check("whisper-1", "speech-to-text")).not.toThrow();
  });

  it("entered it after three failed requests, and is not tried directly afterwards", async () => {
    const broken = own("upstream_broken");
    const { transcribe, attempted, channels } = cluster({ a: [broken, broken, broken] });
    for (let time = 0; time < 3; time += 1) await expect(transcribe()).rejects.toBe(broken);
    await expect(transcribe()).rejects.toMatchObject({ key: "channel_resting" });
    expect([attempted.length, channels[0]?.health.view().state]).toEqual([3, "open"]);
  });

  it("did not enter it because of one request, however often that was retried", async () => {
    const { transcribe, channels } = cluster({
      a: Array.from({ length: 9 }, () => providerError(500)),
    });
    for (const state of ["closed", "closed", "open"]) {
      await expect(transcribe()).rejects.toMatchObject({ row: { status: 500 } });
      expect(channels[0]?.health.view().state).toBe(state);
    }
    expect(channels[0]?.health.view().failures).toBe(7);
  });

  it("is not waited for", async () => {
    const health = createHealth({ policy: { failuresToOpen: 1 } });
    const { transcribe, attempted, waitsMs } = cluster({ a: [unreachable] }, { health });
    await expect(transcribe()).rejects.toBe(unreachable);
    expect([attempted, waitsMs]).toEqual([["a"], []]);
  });

  it("did not enter it because of errors by the client or its key", async () => {
    const { transcribe, channels } = cluster({
      a: [
        ...Array.from({ length: 6 }, () => providerError(400)),
        ...Array.from({ length: 6 }, () => providerError(401)),
      ],
    });
    for (let time = 0; time < 12; time += 1)
      await expect(transcribe()).rejects.toBeInstanceOf(AppError);
    expect(channels[0]?.health.view()).toMatchObject({ state: "closed", failures: 12 });
  });
});

describe("a caller that disconnects", () => {
  it("during an attempt ends it: no other channel is tried, and the channel is not blamed", async () => {
    const stop = new AbortController();
    const gone = appError("upstream_unreachable", "aborted");
    const { channels, views, transcribe } = pair(() =>
      failingIterable(() => {
        stop.abort();
        return gone;
      }),
    );
    await expect(transcribe({}, stop.signal)).rejects.toBe(gone);
    expect(channels.map(({ transcriptionJobs }) => transcriptionJobs.length)).toEqual([1, 0]);
    expect(views()).toEqual([
      { state: "closed", successes: 0, failures: 0 },
      { state: "closed", successes: 0, failures: 0 },
    ]);
  });

  it("before the first attempt causes none", async () => {
    const { channels, transcribe } = pair(() => failingIterable(() => unreachable));
    await expect(transcribe({}, AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
    expect(channels.map(({ transcriptionJobs }) => transcriptionJobs.length)).toEqual([0, 0]);
  });

  it("during a delay ends it at once", async () => {
    const stop = new AbortController();
    const channel = createFakeChannel({
      transcribe: () => failingIterable(() => providerError(429, 20)),
    });
    const all = [toRegisteredChannel(channel)];
    const router = createRouter({
      registry: createRegistry(() => all),
      metering: createMetering({ usage: { add: () => {} }, prices: () => ({}) }),
      routing: () => ({ aliases: {}, prefer: "listed" }),
    });
    const first = router.transcribe(transcriptionJob(), { ...asOwner, signal: stop.signal }).next();
    setImmediate(() => stop.abort());
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    expect(channel.transcriptionJobs).toHaveLength(1);
  });
});
