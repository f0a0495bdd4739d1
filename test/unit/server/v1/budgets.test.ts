// What a key with a budget may request, and what it is charged: over the gateway, with scripted channels.

import { describe, expect, it } from "vitest";
import type { RegisteredChannel } from "../../../../main/channels/registry.ts";
import type { RouterDeps } from "../../../../main/channels/router.ts";
import { api } from "../../../../main/contract/api.ts";
import { routing, type Routing } from "../../../../main/contract/channels.ts";
import { AppError } from "../../../../main/contract/errors.ts";
import { appError } from "../../../support/app-error.ts";
import type { NewApiKey } from "../../../../main/contract/usage.ts";
import {
  createFakeChannel,
  failingIterable,
  fakeTranscript,
  type FakeScript,
  streamSpeech,
  streamTranscript,
} from "../../../support/fake-channel.ts";
import {
  toRegisteredChannel,
  createTestGateway,
  type TestGateway,
  uploadForm,
} from "../../../support/gateway-server.ts";

const speech = (more: object = {}): RequestInit => ({
  method: "POST",
  body: JSON.stringify({ model: "cloud/tts-1", voice: "nova", input: "Good morning.", ...more }),
});
const transcription = (fields: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: uploadForm({ model: "cloud/whisper-1", ...fields }),
});
/** 13 characters at the price of `tts-1`. */
const usdPerSpeech = 0.000195;

type Gateway = TestGateway & {
  askAs(key: Partial<NewApiKey>): (path: string, init: RequestInit) => Promise<Response>;
};
type Options = {
  cloud?: FakeScript;
  local?: FakeScript;
  paid?: readonly RegisteredChannel[];
  aliases?: Routing["aliases"];
  prefer?: Routing["prefer"];
} & Pick<RouterDeps, "measureMediaSec" | "tempDir">;

const unpriced = { id: "tts-new", created: 0, ownedBy: "cloud", kind: "text-to-speech" } as const;
const unpricedTranscription = {
  id: "asr-new",
  created: 0,
  ownedBy: "cloud",
  kind: "speech-to-text",
} as const;

/** This machine with bare model names, and a paid provider with the prefix `cloud`. */
async function openGateway({
  cloud = {},
  local = {},
  paid,
  aliases = {},
  prefer = "listed",
  ...router
}: Options = {}) {
  const here = createFakeChannel({ name: "local", isLocal: true, ...local });
  const there = createFakeChannel({ name: "cloud", ...cloud });
  const channels = [toRegisteredChannel(here), ...(paid ?? [toRegisteredChannel(there, "cloud")])];
  const test = await createTestGateway({
    channels,
    router: {
      routing: () => routing.parse({ aliases, prefer }),
      wait: async () => {},
      ...router,
    },
  });
  let made = 0;
  const askAs: Gateway["askAs"] = (key) => {
    const { secret } = test.deps.keys.create({
      name: `key ${(made += 1)}`,
      budgetCountsLocal: false,
      ...key,
    });
    return (path, init) =>
      test.gateway.handle(
        new Request(`http://127.0.0.1${path}`, {
          ...init,
          headers: { authorization: `Bearer ${secret}` },
        }),
      );
  };
  return { ...test, askAs, here, there };
}

const status = async (answer: Promise<Response>): Promise<number> => {
  const response = await answer;
  await response.arrayBuffer().catch(() => {});
  return response.status;
};
const sums = async ({ request }: Pick<TestGateway, "request">, by = "channel") =>
  api.readUsage.response.parse(await (await request(`/app/usage?by=${by}`)).json());

describe("a paid model without a known price", () => {
  const models = [unpriced, unpricedTranscription];

  it.each([
    [
      "/v1/audio/speech",
      () => speech({ model: "cloud/tts-new" }),
      "hearsay usage --price cloud/tts-new --per-thousand-characters",
    ],
    [
      "/v1/audio/transcriptions",
      () => transcription({ model: "cloud/asr-new" }),
      "hearsay usage --price cloud/asr-new --per-minute",
    ],
  ])(
    "is denied to a key with a budget, with the setting that is missing (%s)",
    async (path, init, command) => {
      const test = await openGateway({ cloud: { models } });
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => test.askAs({ monthlyBudgetUsd: 0.01 })(path, init())),
      );
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([400]));
      const [first = new Response()] = answers;
      const { error } = (await first.json()) as {
        error: { message: string; code: string; param: string };
      };
      expect(error).toMatchObject({ code: "price_unknown", param: "model" });
      expect(error.message).toContain(command);
      expect([...test.there.transcriptionJobs, ...test.there.speechJobs]).toEqual([]);
      expect((await sums(test)).total).toMatchObject({ requests: 60, failed: 60, spentUsd: 0 });
    },
  );

  it("is available to keys without a budget, and to all once its price is set", async () => {
    const test = await openGateway({ cloud: { models } });
    expect(
      await status(test.askAs({})("/v1/audio/speech", speech({ model: "cloud/tts-new" }))),
    ).toBe(200);
    test.deps.configuration.setPrices({ "tts-new": { perThousandCharactersUsd: 0 } });
    expect(
      await status(
        test.askAs({ monthlyBudgetUsd: 0 })("/v1/audio/speech", speech({ model: "cloud/tts-new" })),
      ),
    ).toBe(200);
  });

  it("has no price when only another kind of work is priced", async () => {
    const test = await openGateway({ cloud: { models } });
    test.deps.configuration.setPrices({ "asr-new": { perThousandCharactersUsd: 1 } });
    expect(
      await status(
        test.askAs({ monthlyBudgetUsd: 1 })(
          "/v1/audio/transcriptions",
          transcription({ model: "cloud/asr-new" }),
        ),
      ),
    ).toBe(400);
  });

  it.each(["listed", "cloud"] as const)(
    "is skipped where another model of the list can serve (%s)",
    async (prefer) => {
      const test = await openGateway({
        cloud: { models },
        aliases: { "tts-1": prefer === "listed" ? ["cloud/tts-new", "tts-1"] : ["cloud/tts-new"] },
        prefer,
      });
      const response = await test.askAs({ monthlyBudgetUsd: 1 })(
        "/v1/audio/speech",
        speech({ model: "tts-1" }),
      );
      expect([response.status, response.headers.get("x-hearsay-channel")]).toEqual([200, "local"]);
      expect(test.there.speechJobs).toEqual([]);
    },
  );

  it("is quoted for the shell in the message", async () => {
    const test = await openGateway({ cloud: { models: [{ ...unpriced, id: "it's; rm" }] } });
    const response = await test.askAs({ monthlyBudgetUsd: 1 })(
      "/v1/audio/speech",
      speech({ model: "cloud/it's; rm" }),
    );
    expect(await response.text()).toContain(String.raw`--price 'cloud/it'\\''s; rm' `);
  });
});

describe("an exhausted budget", () => {
  it("denies paid models with 429 and allows the free ones", async () => {
    const test = await openGateway();
    const ask = test.askAs({ monthlyBudgetUsd: 0 });
    const refused = await ask("/v1/audio/speech", speech());
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { type: "insufficient_quota", code: "insufficient_quota" } },
    ]);
    expect(await status(ask("/v1/audio/speech", speech({ model: "tts-1" })))).toBe(200);
    expect(
      await status(ask("/v1/audio/transcriptions", transcription({ model: "whisper-1" }))),
    ).toBe(200);
    expect(test.there.speechJobs).toEqual([]);
  });

  it("denies the free ones too for a key that counts them", async () => {
    const test = await openGateway();
    expect(
      await status(
        test.askAs({ monthlyBudgetUsd: 0, budgetCountsLocal: true })(
          "/v1/audio/speech",
          speech({ model: "tts-1" }),
        ),
      ),
    ).toBe(429);
  });

  it("leaves this machine to serve an alias of both a paid and a local model", async () => {
    const test = await openGateway({
      aliases: { "whisper-1": ["cloud/whisper-1", "whisper-1"], "tts-1": ["cloud/tts-1"] },
    });
    const ask = test.askAs({ monthlyBudgetUsd: 0 });
    expect(
      (await ask("/v1/audio/transcriptions", transcription({ model: "whisper-1" }))).headers.get(
        "x-hearsay-channel",
      ),
    ).toBe("local");
    // The alias has no other target.
    expect(await status(ask("/v1/audio/speech", speech({ model: "tts-1" })))).toBe(429);
  });

  it("is exceeded by at most one request, however many come at once", async () => {
    const test = await openGateway();
    const ask = test.askAs({ monthlyBudgetUsd: 10.5 * usdPerSpeech });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, () => status(ask("/v1/audio/speech", speech()))),
    );
    expect(statuses.filter((one) => one === 200)).toHaveLength(11);
    expect((await sums(test)).total.spentUsd).toBeCloseTo(11 * usdPerSpeech, 9);
  });

  it("is exceeded by at most one recording, since recordings are measured before they are sent", async () => {
    const test = await openGateway({
      measureMediaSec: async () => 600,
      cloud: {
        transcribe: (job) => streamTranscript({ ...fakeTranscript(job), durationSec: 0.01 }),
      },
    });
    const ask = test.askAs({ monthlyBudgetUsd: 0.1 });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, () => status(ask("/v1/audio/transcriptions", transcription()))),
    );
    // Ten minutes cost 0.06 USD, whatever duration the provider reports.
    expect(statuses.filter((one) => one === 200)).toHaveLength(2);
    expect((await sums(test)).total.spentUsd).toBeCloseTo(0.12, 9);
  });

  it("applies to a key that was revoked during its request", async () => {
    const test = await openGateway();
    const { id } = test.deps.keys.create({
      name: "gone",
      budgetCountsLocal: false,
      monthlyBudgetUsd: 0,
    });
    const meter = test.deps.metering.start(id, "speech");
    meter.setRequest({ model: "cloud/tts-1", characters: 13 });
    test.deps.keys.revoke(id);
    const request = { channel: "cloud", model: "cloud/tts-1", isPaid: true, hasFailed: false };
    await expect(meter.admit(request, undefined)).rejects.toMatchObject({
      key: "budget_used_up",
    });
  });

  it("rejects audio of unknown duration", async () => {
    const test = await openGateway({
      measureMediaSec: () =>
        Promise.reject(appError("undecodable_audio", "The file could not be decoded.")),
    });
    expect(
      await status(
        test.askAs({ monthlyBudgetUsd: 1 })("/v1/audio/transcriptions", transcription()),
      ),
    ).toBe(400);
    expect(test.there.transcriptionJobs).toEqual([]);
  });
});

/** The provider accepted the request and failed afterwards. */
const accepted = (): AppError =>
  appError("upstream_broken", "It broke off.", { mayBeCharged: true });

describe("what a provider may charge", () => {
  it("is counted for a request that failed after it was accepted, not for a rejected one", async () => {
    const test = await openGateway({ cloud: { synthesize: () => failingIterable(accepted) } });
    expect(await status(test.askAs({ monthlyBudgetUsd: 1 })("/v1/audio/speech", speech()))).toBe(
      502,
    );
    expect((await sums(test)).sums).toMatchObject([
      { group: "cloud", requests: 1, failed: 1, spentUsd: usdPerSpeech },
    ]);
    const refusing = await openGateway({
      cloud: { synthesize: () => failingIterable(() => appError("upstream_error", "No.")) },
    });
    expect(
      await status(refusing.askAs({ monthlyBudgetUsd: 1 })("/v1/audio/speech", speech())),
    ).toBe(502);
    expect((await sums(refusing)).total).toMatchObject({ failed: 1, spentUsd: 0 });
  });

  it("is recorded separately when another channel takes over, and reduces the budget of the fallback", async () => {
    const broken = createFakeChannel({
      name: "broken",
      synthesize: () => failingIterable(accepted),
    });
    const good = createFakeChannel({ name: "good" });
    const paid = [
      { ...toRegisteredChannel(broken, "cloud"), priority: 1 },
      { ...toRegisteredChannel(good, "cloud"), priority: 2 },
    ];
    const test = await openGateway({ paid });
    expect(await status(test.askAs({})("/v1/audio/speech", speech()))).toBe(200);
    expect((await sums(test)).sums).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          group: "broken",
          requests: 1,
          failed: 1,
          spentUsd: usdPerSpeech,
        }),
        expect.objectContaining({ group: "good", requests: 1, failed: 0, spentUsd: usdPerSpeech }),
      ]),
    );
    expect(
      await status(
        test.askAs({ monthlyBudgetUsd: usdPerSpeech / 2 })("/v1/audio/speech", speech()),
      ),
    ).toBe(502);
    expect(good.speechJobs).toHaveLength(1);
  });

  it("is counted for a response that broke off after a part was delivered", async () => {
    const test = await openGateway({
      cloud: {
        async *synthesize() {
          yield* streamSpeech(["a"]);
          throw accepted();
        },
      },
    });
    const response = await test.askAs({ monthlyBudgetUsd: 1 })("/v1/audio/speech", speech());
    await expect(response.arrayBuffer()).rejects.toMatchObject({ mayBeCharged: true });
    expect((await sums(test)).total).toMatchObject({ failed: 1, spentUsd: usdPerSpeech });
  });
});
