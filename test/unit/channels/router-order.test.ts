// Which channels are tried, and in which order.

import { describe, expect, it } from "vitest";
import type { RegisteredChannel } from "../../../main/channels/registry.ts";
import type { Routing } from "../../../main/contract/channels.ts";
import { AppError } from "../../../main/contract/errors.ts";
import { appError } from "../../support/app-error.ts";
import type { ModelInfo } from "../../../main/contract/models.ts";
import {
  createFakeChannel,
  failingIterable,
  toRegisteredChannel,
  type FakeScript,
} from "../../support/fake-channel.ts";
import { createTestRouter, transcriptionJob } from "../../support/test-router.ts";

const modelInfo = (id: string, kind: ModelInfo["kind"] = "speech-to-text"): ModelInfo => ({
  id,
  created: 1,
  ownedBy: "somebody",
  kind,
});
const notHere = () => appError("unknown_model", "Not here.");

type Described = FakeScript &
  Partial<Pick<RegisteredChannel, "prefix" | "priority" | "weight">> & { name: string };

/** Returns the attempts in order, as `channel:model`. All channels fail at once, so each is tried once. */
async function attemptOrder(
  all: readonly Described[],
  model: string,
  options: { routing?: Partial<Routing>; seed?: number } = {},
): Promise<string[]> {
  const order: string[] = [];
  const channels = all.map(({ name, prefix, priority, weight, ...script }) => {
    const fails = ({ model: own }: { model: string }) => {
      order.push(`${name}:${own}`);
      return failingIterable(notHere);
    };
    const channel = createFakeChannel({
      name,
      ...script,
      transcribe: fails,
      synthesize: fails,
      ...(script.isLocal === true ? {} : { voices: [] }),
    });
    return toRegisteredChannel(channel, {
      ...(script.isLocal === true ? {} : { prefix: prefix ?? name }),
      ...(priority === undefined ? {} : { priority }),
      ...(weight === undefined ? {} : { weight }),
    });
  });
  const test = createTestRouter(channels, options);
  const kind = model.startsWith("tts") ? test.synthesize : test.transcribe;
  await kind({ model }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.key !== "unknown_model") throw error;
  });
  return order;
}

const local: Described = { name: "local", isLocal: true };
const busy: Described = { ...local, isBusy: () => true };
const groq: Described = {
  name: "groq",
  models: [
    modelInfo("llama", "unknown"),
    modelInfo("turbo"),
    modelInfo("large"),
    modelInfo("orpheus", "text-to-speech"),
  ],
};
const openai: Described = {
  name: "openai",
  priority: 20,
  models: [modelInfo("mini"), modelInfo("whisper-1"), modelInfo("tts-1", "text-to-speech")],
};
const cluster = (name: string, priority: number): Described => ({
  name,
  prefix: "cluster",
  priority,
  models: [modelInfo("large")],
});

/** Within four standard deviations of the binomial distribution. */
const near = (count: number, share: number, of: number) =>
  expect(Math.abs(count - share * of)).toBeLessThan(4 * Math.sqrt(of * share * (1 - share)));

describe("OpenAI's model that tells speakers apart", () => {
  const name = "gpt-4o-transcribe-diarize";

  it("is served by the built-in model, unless a channel has it", async () => {
    expect(await attemptOrder([local, groq], name)).toEqual(["local:whisper-1"]);
    const own = { ...openai, models: [modelInfo(name)] };
    expect(await attemptOrder([local, own], `openai/${name}`)).toEqual([`openai:${name}`]);
  });

  it("can be set to other models, with itself as their fallback", async () => {
    const aliases = { [name]: ["groq/large", name] };
    expect(await attemptOrder([local, groq], name, { routing: { aliases } })).toEqual([
      "groq:large",
      "local:whisper-1",
    ]);
  });
});

describe("a model by its full name", () => {
  it("is routed to the channels that have it, by priority", async () => {
    expect(
      await attemptOrder(
        [cluster("c", 30), cluster("a", 0), cluster("b", 10), openai],
        "cluster/large",
      ),
    ).toEqual(["a:large", "b:large", "c:large"]);
  });

  it("is never replaced because of a preference", async () => {
    expect(
      await attemptOrder([local, groq], "groq/turbo", { routing: { prefer: "local" } }),
    ).toEqual(["groq:turbo"]);
  });

  it("is tried where its kind is unknown", async () => {
    expect(await attemptOrder([local, groq], "groq/llama")).toEqual(["groq:llama"]);
  });

  it("is distributed over equal channels by their weights", async () => {
    const weights = { a: 1, b: 2, c: 5 };
    const all = Object.entries(weights).map(([name, weight]): Described => ({
      name,
      prefix: "cluster",
      weight,
      models: [modelInfo("large")],
    }));
    const firsts = { a: 0, b: 0, c: 0 };
    const seconds = { a: 0, b: 0, c: 0 };
    const runs = 1600;
    for (let seed = 1; seed <= runs; seed += 1) {
      const [first, second, third] = (
        await attemptOrder(all, "cluster/large", { seed: seed * 7919 })
      ).map((one) => one.slice(0, 1) as "a" | "b" | "c");
      expect(new Set([first, second, third]).size).toBe(3);
      if (first !== undefined) firsts[first] += 1;
      if (first === "c" && second !== undefined) seconds[second] += 1;
    }
    near(firsts.a, 1 / 8, runs);
    near(firsts.b, 2 / 8, runs);
    near(firsts.c, 5 / 8, runs);
    near(seconds.a, 1 / 3, firsts.c);
  });
});

describe("an alias", () => {
  it("resolves to the built-in model unless it is configured otherwise", async () => {
    expect(await attemptOrder([openai, local], "whisper-1")).toEqual(["local:whisper-1"]);
    expect(
      await attemptOrder([openai, local], "whisper-1", {
        routing: { aliases: { "whisper-1": [], "tts-1": ["openai/tts-1"] } },
      }),
    ).toEqual(["local:whisper-1"]);
  });

  it("follows the order of its list, where its own name means the built-in model", async () => {
    const routing = {
      aliases: {
        "whisper-1": [
          "openai/whisper-1",
          "gone/model",
          "whisper-1",
          "groq/turbo",
          "openai/whisper-1",
        ],
      },
    };
    expect(await attemptOrder([local, groq, openai], "whisper-1", { routing })).toEqual([
      "openai:whisper-1",
      "local:whisper-1",
      "groq:turbo",
    ]);
  });

  it("falls back to the built-in model where no entry of its list exists or fits the kind", async () => {
    const routing = { aliases: { "whisper-1": ["gone/model", "groq/orpheus"] } };
    expect(await attemptOrder([local, groq], "whisper-1", { routing })).toEqual([
      "local:whisper-1",
    ]);
  });
});

describe("with the preference for this machine", () => {
  it.each([
    [
      "adds the channels by priority, with the model of this name or the first of its kind",
      [local, openai, groq],
      "whisper-1",
      {},
      ["local:whisper-1", "groq:turbo", "openai:whisper-1"],
    ],
    [
      "puts this machine last while it is busy",
      [busy, openai, groq],
      "whisper-1",
      {},
      ["groq:turbo", "openai:whisper-1", "local:whisper-1"],
    ],
    [
      "does the same for speech",
      [local, openai, groq],
      "tts-1",
      {},
      ["local:tts-1", "groq:orpheus", "openai:tts-1"],
    ],
    [
      "adds no channels to a list that names any",
      [local, openai, groq],
      "whisper-1",
      { "whisper-1": ["groq/large", "whisper-1"] },
      ["local:whisper-1", "groq:large"],
    ],
    [
      "adds this machine to a list that does not name it",
      [local, openai, groq],
      "whisper-1",
      { "whisper-1": ["groq/large"] },
      ["local:whisper-1", "groq:large"],
    ],
    [
      "uses this machine alone if there are no channels",
      [busy],
      "whisper-1",
      {},
      ["local:whisper-1"],
    ],
    [
      "skips channels without a model of this kind",
      [local, { name: "other", models: [modelInfo("x", "unknown")] }],
      "tts-1",
      {},
      ["local:tts-1"],
    ],
  ])(
    "%s",
    async (_, all: Described[], model: string, aliases: Routing["aliases"], order: string[]) => {
      expect(await attemptOrder(all, model, { routing: { prefer: "local", aliases } })).toEqual(
        order,
      );
    },
  );
});

describe("with the preference for the cloud", () => {
  it.each([
    [
      "adds the channels, before this machine",
      [local, openai, groq],
      {},
      ["groq:turbo", "openai:whisper-1", "local:whisper-1"],
    ],
    [
      "puts this machine last, wherever the list names it",
      [local, openai, groq],
      { "whisper-1": ["whisper-1", "openai/mini"] },
      ["openai:mini", "local:whisper-1"],
    ],
    [
      "adds this machine after a list that does not name it",
      [local, openai],
      { "whisper-1": ["openai/mini"] },
      ["openai:mini", "local:whisper-1"],
    ],
    [
      "works if this machine has no model",
      [{ ...local, models: [] }, openai],
      {},
      ["openai:whisper-1"],
    ],
  ])("%s", async (_, all: Described[], aliases: Routing["aliases"], order: string[]) => {
    expect(await attemptOrder(all, "whisper-1", { routing: { prefer: "cloud", aliases } })).toEqual(
      order,
    );
  });
});

describe("a job that a channel cannot do", () => {
  const refusal = appError("unsupported_value", "It takes no prompt.", { param: "prompt" });
  const open = (other: FakeScript = {}) => {
    const here = {
      ...createFakeChannel({ isLocal: true, models: [modelInfo("whisper-1")] }),
      whyUnable: ({ prompt }: { prompt?: string }) => (prompt === undefined ? undefined : refusal),
    };
    const there = createFakeChannel({ models: [modelInfo("large")], ...other });
    const test = createTestRouter(
      [toRegisteredChannel(here), toRegisteredChannel(there, { prefix: "x" })],
      { routing: { aliases: { "whisper-1": ["whisper-1", "x/large"] } } },
    );
    return { ...test, here, there };
  };
  const prompted = { prompt: "Hibari" };

  it("is done by the next one that can, without asking the first", async () => {
    const { router, transcribe, here, there } = open();
    expect(() => router.checkTranscription(transcriptionJob(prompted))).not.toThrow();
    await transcribe(prompted);
    expect(here.transcriptionJobs).toEqual([]);
    expect(there.transcriptionJobs).toMatchObject([{ model: "large", ...prompted }]);
    await transcribe();
    expect(here.transcriptionJobs).toHaveLength(1);
  });

  it("is refused with the first one's reason if none can", async () => {
    const { router, transcribe, here } = open({ models: [] });
    expect(() => router.checkTranscription(transcriptionJob(prompted))).toThrow(refusal);
    await expect(transcribe(prompted)).rejects.toThrow(refusal);
    expect(here.transcriptionJobs).toEqual([]);
  });
});

describe("a model that cannot be used", () => {
  const { router } = createTestRouter([
    toRegisteredChannel(createFakeChannel({ isLocal: true })),
    toRegisteredChannel(createFakeChannel({ models: groq.models ?? [] }), { prefix: "groq" }),
  ]);

  it("is reported with the reason of the channel that knows it", () => {
    const damaged = appError("model_unusable", "It is damaged.");
    const whyMissing = (id: string) => (id === "damaged" ? damaged : undefined);
    const test = createTestRouter([
      toRegisteredChannel({ ...createFakeChannel({ isLocal: true }), whyMissing }),
    ]);
    expect(() => test.router.check("damaged", "speech-to-text")).toThrow(damaged);
    expect(() => test.router.check("missing", "speech-to-text")).toThrow("does not exist");
  });

  it("is reported together with the usable ones", () => {
    expect(() => router.check("tts-9", "text-to-speech")).toThrow(
      expect.objectContaining({
        key: "unknown_model",
        param: "model",
        message:
          "The model 'tts-9' does not exist. Available here: 'tts-1', 'tts-1-hd', 'groq/orpheus'.",
      }),
    );
    expect(() => router.check("groq/turbo", "text-to-speech")).toThrow(
      expect.objectContaining({
        key: "invalid_value",
        param: "model",
        message:
          "The model 'groq/turbo' is for transcription. Available here: 'tts-1', 'tts-1-hd', 'groq/orpheus'.",
      }),
    );
    expect(() => createTestRouter([]).router.check("whisper-1", "speech-to-text")).toThrow(
      "The model 'whisper-1' does not exist.",
    );
  });

  it("is not reported when it exists or its kind is unknown", () => {
    for (const model of ["whisper-1", "groq/turbo", "groq/llama"])
      expect(() => router.check(model, "speech-to-text")).not.toThrow();
  });

  it("is reported with at most twenty names", () => {
    const models = Array.from({ length: 300 }, (_, at) => modelInfo(`m${at}`));
    const many = createTestRouter([
      toRegisteredChannel(createFakeChannel({ models }), { prefix: "x" }),
    ]).router;
    expect(() => many.check("nothing", "speech-to-text")).toThrow(
      /'x\/m0'.*'x\/m19' and 280 more\.$/,
    );
  });

  it("is not reported when an alias resolves to an existing model, even if this machine has none", () => {
    const one = [
      toRegisteredChannel(createFakeChannel({ models: [modelInfo("large")] }), { prefix: "x" }),
    ];
    expect(() =>
      createTestRouter(one, { routing: { aliases: { "whisper-1": ["x/large"] } } }).router.check(
        "whisper-1",
        "speech-to-text",
      ),
    ).not.toThrow();
    expect(() =>
      createTestRouter(one, { routing: { prefer: "local" } }).router.check(
        "whisper-1",
        "speech-to-text",
      ),
    ).not.toThrow();
    expect(() => createTestRouter(one).router.check("whisper-1", "speech-to-text")).toThrow(
      expect.objectContaining({ key: "unknown_model" }),
    );
  });
});
