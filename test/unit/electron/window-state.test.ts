import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { saveWindowState, readWindowState } from "../../../main/electron/window-state.ts";
import { openTestFolder } from "../../support/test-data.ts";

const screenOf = (...areas: { x: number; y: number; width: number; height: number }[]) => ({
  getAllDisplays: () => areas.map((workArea) => ({ workArea }) as Electron.Display),
});
const laptop = { x: 0, y: 25, width: 1440, height: 850 };
const second = { x: 1440, y: 0, width: 2560, height: 1440 };

async function saveState(bounds: object, isMaximized = false): Promise<string> {
  const path = join(await openTestFolder(), "window.json");
  saveWindowState(path, { getNormalBounds: () => bounds as never, isMaximized: () => isMaximized });
  return path;
}

it("restores the position and size of a window", async () => {
  const bounds = { x: 1600, y: 200, width: 1000, height: 700 };
  expect(readWindowState(await saveState(bounds, true), screenOf(laptop, second))).toEqual({
    bounds,
    isMaximized: true,
  });
});

it.each([
  ["its screen is gone", { x: 1600, y: 200, width: 1000, height: 700 }],
  ["a corner of it alone would be seen", { x: 1400, y: 200, width: 1000, height: 700 }],
  ["its title would be above the screen", { x: 100, y: -300, width: 1000, height: 700 }],
  ["it would begin below the screen", { x: 100, y: 900, width: 1000, height: 700 }],
])("opens a window with the default position where %s", async (_why, bounds) => {
  expect(readWindowState(await saveState(bounds), screenOf(laptop))).toBeUndefined();
});

it("ignores an invalid position", async () => {
  const path = join(await openTestFolder(), "window.json");
  expect(readWindowState(path, screenOf(laptop))).toBeUndefined();
  for (const text of [
    "",
    "{",
    "[]",
    '{"bounds":{"x":"left"},"isMaximized":1}',
    '{"bounds":{"x":1,"y":30,"width":0,"height":5},"isMaximized":false}',
  ]) {
    writeFileSync(path, text);
    expect(readWindowState(path, screenOf(laptop))).toBeUndefined();
  }
});

it("lets the window close when its position cannot be saved", () => {
  expect(() =>
    saveWindowState("/nowhere/at/all.json", {
      getNormalBounds: () => laptop,
      isMaximized: () => false,
    }),
  ).not.toThrow();
});
