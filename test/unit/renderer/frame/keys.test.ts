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

describe("the name of a key press", () => {
  it("has the command key of the system", () => {
    expect(keyCombination(press("k", { ctrlKey: true }), false)).toBe("mod+k");
    expect(keyCombination(press("k", { metaKey: true }), true)).toBe("mod+k");
    expect(keyCombination(press("k", { ctrlKey: true }), true)).toBe("k");
  });

  it("includes shift for letters and named keys, but not for symbols", () => {
    expect(keyCombination(press("?", { shiftKey: true }), false)).toBe("?");
    expect(keyCombination(press("Z", { shiftKey: true, ctrlKey: true }), false)).toBe(
      "mod+shift+z",
    );
    expect(keyCombination(press("ArrowUp", { shiftKey: true }), false)).toBe("shift+ArrowUp");
    expect(keyCombination(press(" ", { shiftKey: true }), false)).toBe("shift+Space");
  });
});

describe("the shortcut matcher", () => {
  const all = ["g t", "t", "mod+k", "Space"];

  it("finds single keys and sequences of two", () => {
    const matcher = createKeyMatcher(false, () => 0);
    expect(matcher.press(press("t"), all)).toBe("t");
    expect(matcher.press(press("g"), all)).toBe("begun");
    expect(matcher.press(press("t"), all)).toBe("g t");
    expect(matcher.press(press("x"), all)).toBeUndefined();
  });

  it("drops the first key after a second one", () => {
    let nowMs = 0;
    const matcher = createKeyMatcher(false, () => nowMs);
    matcher.press(press("g"), all);
    nowMs = 1500;
    expect(matcher.press(press("t"), all)).toBe("t");
  });
});

const action = (id: string, group?: string) => ({ id, title: id, group, run: () => undefined });

it("prefers the actions of the open page", () => {
  const groups = groupActions(
    [action("a", "Window"), action("b"), action("c", "Window")],
    "This page",
  );
  expect(groups.map(([group, actions]) => [group, actions.map(({ id }) => id)])).toEqual([
    ["This page", ["b"]],
    ["Window", ["a", "c"]],
  ]);
});

describe("the command palette", () => {
  it("finds titles by the beginnings of their words, ignoring accents", () => {
    expect(
      ["Settings", "Stop API", "Narrate"].map((title) => paletteScore(title, "setti")),
    ).toEqual([1, 0, 0]);
    expect(paletteScore("Kitchen table interview, part two", "inter kit")).toBe(0.5);
    expect(paletteScore("Café Müller", "cafe mu")).toBe(1);
    expect(paletteScore("Anything", " ")).toBe(1);
  });
});
