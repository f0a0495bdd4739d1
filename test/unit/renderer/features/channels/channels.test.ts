import { describe, expect, it } from "vitest";
import { channelPresets } from "../../../../../main/channels/config/presets.ts";
import { channelFields, type ChannelView } from "../../../../../main/contract/channels.ts";
import {
  parseForm,
  channelToForm,
  presetToForm,
} from "../../../../../renderer/features/channels/form-values.ts";
import { conditionOf, successRate } from "../../../../../renderer/features/channels/health.ts";
import {
  sortByPriority,
  prioritiesAfterMove,
  priorityToShare,
  ranksOf,
} from "../../../../../renderer/features/channels/priorities.ts";

const health = { state: "closed", successes: 0, failures: 0 } as const;
const view = (fields: Partial<ChannelView> = {}): ChannelView => ({
  ...channelFields.parse({
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    prefix: "groq",
  }),
  id: "groq",
  key: "stored",
  models: 2,
  listedAtMs: 1,
  health,
  ...fields,
});

/** `a20 b10`: ids with their priorities. */
const list = (text: string) =>
  text.split(" ").map((each) => ({ id: each[0] as string, priority: Number(each.slice(1)) }));

/** The list after a move, each id with its priority. */
const after = (text: string, id: string, to: number) => {
  const priorities = prioritiesAfterMove(list(text), id, to);
  return sortByPriority(
    list(text).map((each) => ({ ...each, priority: priorities.get(each.id) ?? each.priority })),
  )
    .map(({ id: name, priority }) => `${name}${priority}`)
    .join(" ");
};

describe("the order of channels", () => {
  it("follows the priorities, and channels with the same priority share a rank", () => {
    const channels = list("a20 b10 c10");
    expect(
      sortByPriority(channels)
        .map(({ id }) => id)
        .join(""),
    ).toBe("bca");
    expect([...ranksOf(channels)]).toEqual([
      ["a", 2],
      ["b", 1],
      ["c", 1],
    ]);
  });

  it("changes only the priority of the moved channel where there is room", () => {
    expect(after("a10 b20 c30", "c", 1)).toBe("a10 c11 b20");
    expect(after("a10 b20 c30", "c", 0)).toBe("c0 a10 b20");
    expect(after("a10 b20 c30", "a", 2)).toBe("b20 c30 a31");
  });

  it("removes a moved channel from a shared rank, and separates channels that it is moved between", () => {
    expect(after("a10 b10 c10", "c", 0)).toBe("c0 a10 b10");
    expect(after("a10 b10 c10", "c", 1)).toBe("a10 c11 b12");
    expect(after("a10 b10 c5", "c", 1)).toBe("a10 c11 b12");
  });

  it("shifts the channels that are in the way, those of a shared rank together", () => {
    expect(after("a0 b1 c1 d2", "d", 0)).toBe("d0 a1 b2 c2");
  });

  it("is renumbered where there is no room at the end", () => {
    expect(
      after("a999 b1000 c1000", "a", 2)
        .split(" ")
        .map((each) => each[0])
        .join(""),
    ).toBe("bca");
    expect(
      [...prioritiesAfterMove(list("a999 b1000"), "a", 1).values()].every(
        (priority) => priority <= 1000,
      ),
    ).toBe(true);
  });

  it("is unchanged when nothing is moved", () => {
    expect(prioritiesAfterMove(list("a1 b2"), "a", 0).size).toBe(0);
    expect(prioritiesAfterMove(list("a1 b2"), "a", 2).size).toBe(0);
    expect(prioritiesAfterMove(list("a1 b2"), "x", 0).size).toBe(0);
  });

  it("can give a channel the same rank as the one above", () => {
    expect(priorityToShare(list("a10 b20"), "b")).toBe(10);
    expect(priorityToShare(list("a10 b10"), "b")).toBeUndefined();
    expect(priorityToShare(list("a10 b20"), "a")).toBeUndefined();
  });
});

describe("the condition of a channel", () => {
  it("is described by one word", () => {
    expect(conditionOf(view({ enabled: false, listError: "x" }))).toBe("off");
    expect(conditionOf(view({ isBlocked: true, models: 0 }))).toBe("offline");
    expect(conditionOf(view({ enabled: false, isBlocked: true }))).toBe("off");
    expect(conditionOf(view({ health: { ...health, state: "open" } }))).toBe("resting");
    expect(conditionOf(view({ listError: "refused", models: 0 }))).toBe("unlisted");
    expect(conditionOf(view({ listError: "who are you", isKeyRefused: true, models: 0 }))).toBe(
      "refused",
    );
    expect(conditionOf(view({ listError: "late", models: 2 }))).toBe("shaky");
    expect(conditionOf(view({ health: { ...health, successes: 8, failures: 2 } }))).toBe("shaky");
    expect(conditionOf(view({ health: { ...health, successes: 98, failures: 2 } }))).toBe("well");
    const { listedAtMs: _, ...unlisted } = view({ models: 0 });
    expect(conditionOf(unlisted)).toBe("waiting");
  });

  it("has no success rate before the first request", () => {
    expect(successRate(health)).toBeUndefined();
    expect(successRate({ ...health, successes: 3, failures: 1 })).toBe(0.75);
  });
});

describe("a channel’s form", () => {
  it("is filled in from every preset, so that only the key is missing", () => {
    for (const preset of channelPresets)
      expect(parseForm(presetToForm(preset, [])).invalidFields).toBeUndefined();
  });

  it("finds an unused name and prefix for a second account", () => {
    const groq = channelPresets.find(({ id }) => id === "groq");
    expect(presetToForm(groq, [view()])).toMatchObject({ name: "Groq 2", prefix: "groq-2" });
  });

  it("returns the values that it was filled in with", () => {
    const channel = view({
      modelFilter: ["*whisper*"],
      modelNames: { w: "whisper-large-v3" },
      voiceNames: { nova: "autumn" },
      weight: 3,
    });
    expect(parseForm(channelToForm(channel)).fields).toMatchObject({
      name: "Groq",
      modelFilter: ["*whisper*"],
      modelNames: { w: "whisper-large-v3" },
      voiceNames: { nova: "autumn" },
      weight: 3,
    });
  });

  it("reports every invalid field", () => {
    const wrong = parseForm({
      ...presetToForm(undefined, []),
      name: "local",
      baseUrl: "ftp://x",
      prefix: "My Prefix",
      key: "two words",
      modelNames: "a = b\nnothing",
      weight: "0",
      headersSec: "soon",
    }).invalidFields;
    expect([...(wrong ?? [])].sort()).toEqual([
      "baseUrl",
      "headersSec",
      "key",
      "modelNames",
      "name",
      "prefix",
      "weight",
    ]);
  });
});
