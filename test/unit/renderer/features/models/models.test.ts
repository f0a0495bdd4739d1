import { describe, expect, it } from "vitest";
import { routing as routingSchema } from "../../../../../main/contract/channels.ts";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import {
  aliasesOfModel,
  withFirstTarget,
  aliasTargets,
  withFallbackAt,
} from "../../../../../renderer/features/models/aliases.ts";
import {
  modelIdsOfKind,
  languagesOf,
  noFilter,
  filterModels,
  groupModels,
} from "../../../../../renderer/features/models/model-list.ts";
import { parsePrice } from "../../../../../renderer/features/models/price.ts";
import { diffTexts } from "../../../../../renderer/features/models/text-diff.ts";

const models: ListedModel[] = [
  {
    id: "whisper-small",
    name: "Whisper small",
    state: "ready",
    kind: "speech-to-text",
    ownedBy: "openai",
    channel: "local",
    languages: ["en", "de"],
    licence: "MIT",
    capabilities: {
      wordTimes: false,
      languageDetection: false,
      prompt: false,
      streaming: false,
      translatesTo: [],
    },
  },
  {
    id: "voices",
    name: "Voices",
    state: "ready",
    kind: "text-to-speech",
    ownedBy: "hexgrad",
    channel: "local",
    languages: ["en"],
  },
  {
    id: "groq/whisper-large-v3",
    state: "ready",
    kind: "speech-to-text",
    ownedBy: "OpenAI",
    channel: "Groq",
    prefix: "groq",
  },
  {
    id: "groq/whisper-large-v3",
    state: "ready",
    kind: "speech-to-text",
    ownedBy: "OpenAI",
    channel: "Groq 2",
    prefix: "groq",
  },
];

const local = (id: string, behind: string[]): ListedModel => ({
  id,
  state: "ready",
  kind: "speech-to-text",
  ownedBy: "",
  channel: "local",
  memory: behind.map((model) => ({ model, isLoaded: false })),
});

const titles = (filter: Partial<typeof noFilter>) =>
  filterModels(groupModels(models), { ...noFilter, ...filter }).map(({ title }) => title);

describe("the listed models", () => {
  it("are one entry each, with all their names; names that stand for local models have none", () => {
    const base = { ...local("whisper-base", ["whisper-base"]), name: "Whisper base" };
    const entries = groupModels([
      local("whisper-1", ["whisper-base"]),
      base,
      { ...base, id: "den/whisper-base", channel: "Den", prefix: "den" },
      { ...base, id: "cloud/whisper-1", channel: "Cloud", prefix: "cloud", name: undefined },
      ...models.slice(2),
    ] as ListedModel[]);
    expect(
      entries.map(({ title, place, offers }) => [title, place, ...offers.map(({ id }) => id)]),
    ).toEqual([
      ["Whisper base", "here", "whisper-base", "den/whisper-base"],
      ["whisper-1", "channel", "cloud/whisper-1"],
      ["whisper-large-v3", "channel", "groq/whisper-large-v3", "groq/whisper-large-v3"],
    ]);
  });

  it("can be had here, even if a channel has them", () => {
    const [entry, ...others] = groupModels([
      { ...local("den/whisper-small", []), channel: "Den", prefix: "den" },
      { ...local("whisper-small", []), name: "Whisper small", state: "available" },
    ]);
    expect(entry).toMatchObject({
      title: "Whisper small",
      place: "available",
      model: { id: "whisper-small" },
      offers: [{ id: "den/whisper-small" }],
    });
    expect(others).toEqual([]);
    expect(filterModels(entry ? [entry] : [], { ...noFilter, place: "channel" })).toEqual([entry]);
  });

  it("match every filter", () => {
    expect(titles({ task: "speak" })).toEqual(["Voices"]);
    expect(titles({ place: "channel" })).toEqual(["whisper-large-v3"]);
    expect(titles({ text: "whisper MIT" })).toEqual(["Whisper small"]);
    expect(titles({ text: "OPENAI", place: "here" })).toEqual(["Whisper small"]);
    expect(titles({ task: "translate" })).toEqual(["whisper-large-v3"]);
  });

  it("match a language when they support it, or do not list any", () => {
    expect(titles({ language: "de" })).toEqual(["Whisper small", "whisper-large-v3"]);
  });

  it("are listed once in each menu", () => {
    expect(modelIdsOfKind(models, "speech-to-text")).toEqual([
      "whisper-small",
      "groq/whisper-large-v3",
    ]);
    expect(languagesOf(models)).toEqual(["en", "de"]);
  });
});

describe("aliases of models", () => {
  const usual = routingSchema.parse({});
  const groq = "groq/whisper-large-v3";

  it("resolve to the built-in model by default", () => {
    expect(aliasTargets(usual, "whisper-1")).toEqual(["whisper-1"]);
    expect(aliasesOfModel(usual, { id: "whisper-1", channel: "local" }, models)).toEqual([
      "whisper-1",
    ]);
  });

  it("are shown for every model behind the built-in name, while the alias resolves to that", () => {
    const offered = [
      local("whisper-1", ["moonshine-base", "whisper-base"]),
      local("whisper-base", ["whisper-base"]),
    ];
    const to = (routing: typeof usual, channel = "local") =>
      aliasesOfModel(routing, { id: "whisper-base", channel }, offered);
    expect(to(usual)).toEqual(["whisper-1"]);
    expect(to({ ...usual, aliases: { "whisper-1": [groq] } })).toEqual([]);
    expect(to(usual, "Groq")).toEqual([]);
  });

  it("keep the built-in model as a fallback", () => {
    const pointed = withFirstTarget(usual, "whisper-1", groq);
    expect(aliasTargets(pointed, "whisper-1")).toEqual([groq, "whisper-1"]);
    expect(aliasTargets(withFallbackAt(pointed, "whisper-1", 1, undefined), "whisper-1")).toEqual([
      groq,
    ]);
    expect(aliasesOfModel(pointed, { id: groq, channel: "Groq" }, models)).toEqual(["whisper-1"]);
  });

  it("have no list of their own again after a reset to the built-in model", () => {
    const pointed = withFallbackAt(
      withFirstTarget(usual, "tts-1", "x/kokoro"),
      "tts-1",
      1,
      undefined,
    );
    expect(withFirstTarget(pointed, "tts-1", "tts-1").aliases["tts-1"]).toEqual([]);
  });

  it("keep the entries further down the list, each once", () => {
    const listed = { ...usual, aliases: { "whisper-1": ["a", "b", "c"] } };
    expect(aliasTargets(withFirstTarget(listed, "whisper-1", "c"), "whisper-1")).toEqual([
      "c",
      "b",
    ]);
    expect(aliasTargets(withFallbackAt(listed, "whisper-1", 1, "c"), "whisper-1")).toEqual([
      "a",
      "c",
    ]);
    expect(aliasTargets(withFallbackAt(listed, "whisper-1", 1, "d"), "whisper-1")).toEqual([
      "a",
      "d",
      "c",
    ]);
  });

  it("have a list of any length, which can be changed at any position", () => {
    const listed = { ...usual, aliases: { "whisper-1": ["a", "b", "c"] } };
    const longer = withFallbackAt(listed, "whisper-1", 3, "d");
    expect(aliasTargets(longer, "whisper-1")).toEqual(["a", "b", "c", "d"]);
    expect(aliasTargets(withFallbackAt(longer, "whisper-1", 2, undefined), "whisper-1")).toEqual([
      "a",
      "b",
      "d",
    ]);
    expect(aliasTargets(withFallbackAt(longer, "whisper-1", 3, "b"), "whisper-1")).toEqual([
      "a",
      "c",
      "b",
    ]);
  });
});

it("parses a price as people type it", () => {
  expect(["", " 0.006 ", "0,006", "$ 3", "-1", "much", "1e3"].map(parsePrice)).toEqual([
    undefined,
    0.006,
    0.006,
    3,
    "wrong",
    "wrong",
    "wrong",
  ]);
});

const shown = (a: string, b: string) => {
  const { first, second, differing } = diffTexts(a, b);
  const marked = (parts: typeof first) =>
    parts.map(({ text, isUnique }) => (isUnique ? `[${text.trim()}]` : text.trim())).join(" ");
  return [marked(first), marked(second), differing];
};

describe("the difference between two texts", () => {
  it("is empty where only capitals and punctuation differ", () => {
    expect(shown("Ask not, what", "ask not what")).toEqual(["Ask not, what", "ask not what", 0]);
  });

  it("marks the words that occur in only one of them", () => {
    expect(shown("ask not what your country", "ask now what country")).toEqual([
      "ask [not] what [your] country",
      "ask [now] what country",
      2,
    ]);
    expect(shown("", "two words")).toEqual(["", "[two words]", 2]);
  });

  it("counts characters where words are not separated", () => {
    expect(diffTexts("今天天气很好。", "今天天汽很好")).toEqual({
      first: [
        { text: "今天天", isUnique: false },
        { text: "气", isUnique: true },
        { text: "很好。", isUnique: false },
      ],
      second: [
        { text: "今天天", isUnique: false },
        { text: "汽", isUnique: true },
        { text: "很好", isUnique: false },
      ],
      unit: "characters",
      differing: 1,
    });
  });

  it("contains both texts completely", () => {
    const [a, b] = ["One  two\nthree four.", "zero one three, five four"];
    const { first, second } = diffTexts(a, b);
    expect(first.map(({ text }) => text).join("")).toBe(a);
    expect(second.map(({ text }) => text).join("")).toBe(b);
  });
});
