import { expect, it } from "vitest";
import { createRegistry, type RegisteredChannel } from "../../../main/channels/registry.ts";
import type { ModelInfo } from "../../../main/contract/models.ts";
import { createFakeChannel, fakeVoices, toRegisteredChannel } from "../../support/fake-channel.ts";

const info = (id: string, kind: ModelInfo["kind"] = "speech-to-text"): ModelInfo => ({
  id,
  created: 1,
  ownedBy: "somebody",
  kind,
});
const cloud = (name: string, models: readonly ModelInfo[], prefix = name) =>
  toRegisteredChannel(createFakeChannel({ name, models, voices: [] }), { prefix });
const ids = (models: readonly ModelInfo[]) => models.map(({ id }) => id);

it("offers bare and prefixed names, and keeps slashes in them", () => {
  const local = toRegisteredChannel(createFakeChannel({ isLocal: true }));
  const registry = createRegistry(() => all);
  const all = [local, cloud("groq", [info("openai/whisper-large-v3"), info("whisper-1")])];
  expect(ids(registry.models())).toEqual([
    "whisper-1",
    "tts-1",
    "tts-1-hd",
    "groq/openai/whisper-large-v3",
    "groq/whisper-1",
  ]);
  expect(registry.model("groq/whisper-1")).toEqual({ ...info("whisper-1"), id: "groq/whisper-1" });
  expect(registry.offers("groq/openai/whisper-large-v3")).toMatchObject([
    {
      registered: all[1],
      channelModel: "openai/whisper-large-v3",
      info: { id: "groq/openai/whisper-large-v3" },
    },
  ]);
  expect(registry.offers("whisper-1").map(({ registered: one }) => one)).toEqual([local]);
  expect([registry.offers("nothing"), registry.model("__proto__")]).toEqual([[], undefined]);
});

it("finds every channel that has a model, and lists the model once", () => {
  const all = [
    cloud("one", [info("a"), info("a"), info("b")], "cluster"),
    cloud("two", [info("b"), info("a")], "cluster"),
  ];
  const registry = createRegistry(() => all);
  expect(ids(registry.models())).toEqual(["cluster/a", "cluster/b"]);
  expect(registry.offers("cluster/a").map(({ channel }) => channel.name)).toEqual(["one", "two"]);
  expect(registry.offers("cluster/b").map(({ channel }) => channel.name)).toEqual(["one", "two"]);
});

it("returns the same list until something changes", () => {
  const script = { models: [info("a")] };
  let all: readonly RegisteredChannel[] = [
    toRegisteredChannel(createFakeChannel(script), { prefix: "x" }),
  ];
  const registry = createRegistry(() => all);
  const first = registry.models();
  expect(registry.models()).toBe(first);
  script.models = [info("a"), info("b")];
  expect(ids(registry.models())).toEqual(["x/a", "x/b"]);
  all = [...all, cloud("y", [info("c")])];
  expect(registry.model("y/c")).toBeDefined();
  expect(registry.channels()).toBe(all);
  all = [];
  expect([
    registry.models(),
    registry.offers("x/a"),
    registry.model("y/c"),
    registry.voices(),
  ]).toEqual([[], [], undefined, []]);
});

it("lists each voice once", () => {
  const all = [
    toRegisteredChannel(createFakeChannel()),
    toRegisteredChannel(createFakeChannel(), { prefix: "x" }),
    cloud("y", []),
  ];
  expect(createRegistry(() => all).voices()).toEqual(fakeVoices);
});

it("lists the voices that are wanted, also those that another one has as well", () => {
  const thorsten = { ...fakeVoices[0]!, id: "thorsten", model: "medium" };
  const voices = [thorsten, { ...thorsten, model: "high" }];
  const registry = createRegistry(() => [
    toRegisteredChannel(createFakeChannel({ isLocal: true, voices })),
  ]);
  expect(registry.voices()).toEqual([thorsten]);
  for (const one of voices)
    expect(registry.voices(({ model }) => model === one.model)).toEqual([one]);
});
