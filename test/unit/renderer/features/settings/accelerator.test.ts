import { describe, expect, it } from "vitest";
import {
  toAccelerator,
  toDisplayKeys,
  type KeyPress,
} from "../../../../../renderer/features/settings/accelerator.ts";

const press = (key: string, held: string[] = [], code = ""): KeyPress => ({
  key,
  code,
  ctrlKey: held.includes("ctrl"),
  metaKey: held.includes("meta"),
  altKey: held.includes("alt"),
  shiftKey: held.includes("shift"),
});

describe("an accelerator", () => {
  it.each([
    [
      "a letter with Ctrl and Shift",
      press("H", ["ctrl", "shift"], "KeyH"),
      "linux",
      "CommandOrControl+Shift+H",
    ],
    ["Command on a Mac", press("h", ["meta"], "KeyH"), "darwin", "CommandOrControl+H"],
    ["Ctrl on a Mac", press("h", ["ctrl", "alt"], "KeyH"), "darwin", "Control+Alt+H"],
    ["the Windows key", press("h", ["meta"], "KeyH"), "win32", "Super+H"],
    ["what Alt makes of a letter", press("∂", ["alt"], "KeyD"), "darwin", "Alt+D"],
    [
      "what Shift makes of a figure",
      press("!", ["ctrl", "shift"], "Digit1"),
      "linux",
      "CommandOrControl+Shift+1",
    ],
    [
      "the letter as the layout has it",
      press("y", ["ctrl"], "KeyZ"),
      "linux",
      "CommandOrControl+Y",
    ],
    ["a figure of the number pad", press("5", ["alt"], "Numpad5"), "linux", "Alt+num5"],
    ["an arrow", press("ArrowUp", ["alt"], "ArrowUp"), "linux", "Alt+Up"],
    ["a plus", press("+", ["ctrl"], "BracketRight"), "linux", "CommandOrControl+Plus"],
    ["the space bar", press(" ", ["ctrl"], "Space"), "linux", "CommandOrControl+Space"],
    ["a function key alone", press("F9", [], "F9"), "linux", "F9"],
    ["a media key alone", press("MediaPlayPause", [], "MediaPlayPause"), "linux", "MediaPlayPause"],
  ] as const)("is %s", (_what, given, system, keys) => {
    expect(toAccelerator(given, system)).toEqual({ keys });
  });

  it.each([
    ["waits for the key beside modifiers", press("Control", ["ctrl"]), "more"],
    ["is no letter alone", press("d", [], "KeyD"), "alone"],
    ["is no letter with Shift alone", press("D", ["shift"], "KeyD"), "alone"],
    [
      "is no key that Electron has no name for",
      press("ContextMenu", ["ctrl"], "ContextMenu"),
      "unknown",
    ],
    ["is no sign beyond ASCII", press("ä", ["ctrl"], "Quote"), "unknown"],
  ] as const)("%s", (_what, given, answer) => {
    expect(toAccelerator(given, "linux")).toBe(answer);
  });

  it("is shown as keys", () => {
    expect(toDisplayKeys("CommandOrControl+Shift+Up")).toBe("mod+shift+ArrowUp");
  });
});
