import { describe, expect, it } from "vitest";
import { appError } from "../../../support/app-error.ts";
import { createWrongKeyDelay, toSenderId } from "../../../../main/server/http/wrong-key-delay.ts";
import { createTestGateway, testKey, startTestServer } from "../../../support/gateway-server.ts";

const never = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Delays of consecutive wrong keys in ms, for a list of addresses and times. */
async function delays(
  senders: readonly (readonly [address: string, atMs: number])[],
  policy = {},
): Promise<number[]> {
  let nowMs = 0;
  const found: number[] = [];
  const delay = createWrongKeyDelay(policy, {
    now: () => nowMs,
    wait: async (ms) => void found.push(ms),
  });
  for (const [address, atMs] of senders) {
    nowMs = atMs;
    await delay.delay(address, never);
  }
  return found;
}

describe("a wrong key", () => {
  it("is answered later each time, up to two seconds, for each address separately", async () => {
    const again = Array.from({ length: 7 }, () => ["10.0.0.1", 0] as const);
    expect(await delays([...again, ["10.0.0.2", 0]])).toEqual([
      100, 200, 400, 800, 1600, 2000, 2000, 100,
    ]);
  });

  it("is forgotten step by step", async () => {
    expect(
      await delays([
        ["a", 0],
        ["a", 0],
        ["a", 0],
        ["a", 10_000],
        ["a", 50_000],
      ]),
    ).toEqual([100, 200, 400, 400, 100]);
  });

  it("is forgotten when too many other addresses follow", async () => {
    expect(
      await delays(
        [
          ["a", 0],
          ["a", 0],
          ["b", 0],
          ["c", 0],
          ["a", 0],
        ],
        { maxAddresses: 2 },
      ),
    ).toEqual([100, 200, 100, 100, 100]);
  });

  it("waits for earlier ones of the same address, and for no other", async () => {
    const ends: (() => void)[] = [];
    const delay = createWrongKeyDelay(
      {},
      { now: () => 0, wait: () => new Promise((resolve) => ends.push(resolve)) },
    );
    const answered: string[] = [];
    const pass = (address: string, name: string): void =>
      void delay.delay(address, never).then(() => answered.push(name));
    pass("a", "a1");
    pass("a", "a2");
    pass("b", "b1");
    await turn();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await turn();
    expect(answered).toEqual(["b1"]);
    ends[0]?.();
    await turn();
    expect([answered, ends.length]).toEqual([["b1", "a1"], 3]);
    ends[2]?.();
    await turn();
    expect(answered).toEqual(["b1", "a1", "a2"]);
  });

  it.each([
    ["in total", { maxWaiting: 2 }, "c"],
    ["from the same address", { maxWaitingPerAddress: 1 }, "a"],
  ])(
    "is not answered while too many are waiting (%s), until one of them was answered",
    async (_name, policy, address) => {
      const delay = createWrongKeyDelay({
        firstDelayMs: 3_600_000,
        maxDelayMs: 3_600_000,
        ...policy,
      });
      const leave = new AbortController();
      const waiting = [delay.delay("a", leave.signal), delay.delay("b", leave.signal)];
      expect(await delay.delay(address, never)).toBe(false);
      leave.abort();
      expect(await Promise.all(waiting)).toEqual([true, true]);
      expect(await delay.delay(address, leave.signal)).toBe(true);
    },
  );

  it("counts for a whole IPv6 network", () => {
    expect(toSenderId("2001:db8:1:2:3:4:5:6")).toBe(toSenderId("2001:0db8:1:2::9"));
    expect(toSenderId("2001:db8:1:2::1")).not.toBe(toSenderId("2001:db8:1:3::1"));
    expect([
      toSenderId("::1"),
      toSenderId("fe80::1%eth0"),
      toSenderId("::ffff:10.0.0.1"),
      toSenderId("10.0.0.1"),
      toSenderId(""),
    ]).toEqual(["0:0:0:0", "fe80:0:0:0", "10.0.0.1", "10.0.0.1", ""]);
  });
});

it("never delays a right key, even from the same address at the same time", async () => {
  const { gateway } = await createTestGateway({
    limits: { wrongKeys: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } },
  });
  const leave = new AbortController();
  const ask = (key: string, signal = never): Promise<Response> =>
    gateway.handle(
      new Request("http://127.0.0.1/v1/models", {
        headers: { authorization: `Bearer ${key}` },
        signal,
      }),
      { remoteAddress: "127.0.0.1" },
    );
  const wrong = Array.from({ length: 16 }, () => ask("hs-wrong", leave.signal));
  let isAnswered = false;
  void Promise.race(wrong).then(() => (isAnswered = true));
  for (let attempt = 0; attempt < 5; attempt += 1) expect((await ask(testKey)).status).toBe(200);
  expect(isAnswered).toBe(false);
  leave.abort();
  for (const response of await Promise.all(wrong)) {
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: { message: "Invalid API key.", type: "authentication_error", param: null },
    });
  }
});

it("is never answered early among hundreds at once, and right keys are still accepted", async () => {
  const { port } = await startTestServer({
    limits: { wrongKeys: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } },
  });
  const ask = (key: string): Promise<number> =>
    fetch(`http://127.0.0.1:${port}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
      signal: leave.signal,
    }).then(
      ({ status }) => status,
      () => 0,
    );
  const leave = new AbortController();
  const statuses: number[] = [];
  const wrong = Array.from({ length: 400 }, async () => statuses.push(await ask("hs-wrong")));
  const right = await Promise.all(Array.from({ length: 20 }, () => ask(testKey)));
  expect(right).toEqual(right.map(() => 200));
  // The server closed the connections of all but those that wait.
  await expect.poll(() => statuses.length).toBe(384);
  expect(new Set(statuses)).toEqual(new Set([0]));
  expect(await ask(testKey)).toBe(200);
  leave.abort();
  await Promise.all(wrong);
});

it("delays a key that cannot be checked without the library", async () => {
  const { gateway, deps } = await createTestGateway({
    limits: { wrongKeys: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } },
  });
  deps.keys.verify = () => {
    throw appError("library_unavailable", "The library cannot be read.");
  };
  const leave = new AbortController();
  let isAnswered = false;
  const response = gateway
    .handle(
      new Request("http://127.0.0.1/v1/models", {
        headers: { authorization: "Bearer hs-other" },
        signal: leave.signal,
      }),
      { remoteAddress: "127.0.0.1" },
    )
    .finally(() => (isAnswered = true));
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(isAnswered).toBe(false);
  leave.abort();
  expect((await response).status).toBe(503);
});

it("does not delay requests without a key, which guess nothing", async () => {
  const { gateway } = await createTestGateway({
    limits: { wrongKeys: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } },
  });
  expect((await gateway.handle(new Request("http://127.0.0.1/v1/models"))).status).toBe(401);
});
