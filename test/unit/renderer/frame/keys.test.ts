import { describe, expect, it } from "vitest";
import {
  createKeyMatcher,
  keyCombination,
  type KeyPress,
} from "../../../../renderer/frame/keys.ts";
import { groupActions } from "../../../../renderer/frame/action-groups.ts";
import { paletteScore } from "../../../../renderer/frame/palette-score.ts";

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe("the name of a press", () => {
  it("has the command key of the machine", () => {
    expect(keyCombination(press("k", { ctrlKey: true }), false)).toBe("mod+k");
    expect(keyCombination(press("k", { metaKey: true }), true)).toBe("mod+k");
    expect(keyCombination(press("k", { ctrlKey: true }), true)).toBe("k");
  });

  it("counts shift for letters and named keys, not for signs", () => {
    expect(keyCombination(press("?", { shiftKey: true }), false)).toBe("?");
    expect(keyCombination(press("Z", { shiftKey: true, ctrlKey: true }), false)).toBe(
      "mod+shift+z",
    );
    expect(keyCombination(press("ArrowUp", { shiftKey: true }), false)).toBe("shift+ArrowUp");
    expect(keyCombination(press(" ", { shiftKey: true }), false)).toBe("shift+Space");
  });
});

describe("the matcher", () => {
  const all = ["g t", "t", "mod+k", "Space"];

  it("finds single keys and pairs", () => {
    const matcher = createKeyMatcher(false, () => 0);
    expect(matcher.press(press("t"), all)).toBe("t");
    expect(matcher.press(press("g"), all)).toBe("begun");
    expect(matcher.press(press("t"), all)).toBe("g t");
    expect(matcher.press(press("x"), all)).toBeUndefined();
  });

  it("forgets a first half after a second", () => {
    let nowMs = 0;
    const matcher = createKeyMatcher(false, () => nowMs);
    matcher.press(press("g"), all);
    nowMs = 1500;
    expect(matcher.press(press("t"), all)).toBe("t");
  });
});

const action = (id: string, group?: string) => ({ id, title: id, group, run: () => undefined });

it("puts the open page’s actions first", () => {
  const groups = groupActions(
    [action("a", "Window"), action("b"), action("c", "Window")],
    "This page",
  );
  expect(groups.map(([group, actions]) => [group, actions.map(({ id }) => id)])).toEqual([
    ["This page", ["b"]],
    ["Window", ["a", "c"]],
  ]);
});

describe("the palette", () => {
  it("finds titles by the beginnings of their words, whatever their accents", () => {
    expect(
      ["Settings", "Stop API", "Narrate"].map((title) => paletteScore(title, "setti")),
    ).toEqual([1, 0, 0]);
    expect(paletteScore("Kitchen table interview, part two", "inter kit")).toBe(0.5);
    expect(paletteScore("Café Müller", "cafe mu")).toBe(1);
    expect(paletteScore("Anything", " ")).toBe(1);
  });
});
