// Stores position and size of the main window, and restores them if that screen still exists.

import { readFileSync } from "node:fs";
import type { BrowserWindow, Rectangle, Screen } from "electron";
import { z } from "zod";
import { writeFileSync } from "../storage/disk.ts";

const windowStateSchema = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) }),
  isMaximized: z.boolean(),
});
export type WindowState = z.infer<typeof windowStateSchema>;

/** Visible width and height, in points, required to grab the window. */
const minVisiblePoints = 100;

/** @returns undefined if nothing is stored, or the window would not be visible on any screen */
export function readWindowState(
  path: string,
  screen: Pick<Screen, "getAllDisplays">,
): WindowState | undefined {
  let storedState: WindowState | undefined;
  try {
    storedState = windowStateSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    return undefined;
  }
  return storedState !== undefined &&
    screen.getAllDisplays().some(({ workArea }) => isVisible(storedState.bounds, workArea))
    ? storedState
    : undefined;
}

function isVisible(bounds: Rectangle, area: Rectangle): boolean {
  const visibleWidth =
    Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x);
  const visibleHeight =
    Math.min(bounds.y + bounds.height, area.y + area.height) - Math.max(bounds.y, area.y);
  // The top edge must be visible, since the window is dragged by it.
  return (
    bounds.y >= area.y - 1 && visibleWidth >= minVisiblePoints && visibleHeight >= minVisiblePoints
  );
}

export function saveWindowState(
  path: string,
  window: Pick<BrowserWindow, "getNormalBounds" | "isMaximized">,
): void {
  try {
    writeFileSync(
      path,
      JSON.stringify({
        bounds: window.getNormalBounds(),
        isMaximized: window.isMaximized(),
      } satisfies WindowState),
    );
  } catch {
    // A full disk must not keep a window from closing.
  }
}
