// Where the main window was, for the next time; on a screen that is still there.

import { readFileSync } from "node:fs";
import type { BrowserWindow, Rectangle, Screen } from "electron";
import { z } from "zod";
import { writeFileSync } from "../storage/disk.ts";

const windowStateSchema = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) }),
  isMaximized: z.boolean(),
});
export type WindowState = z.infer<typeof windowStateSchema>;

/** So much of it is seen, in points each way, that it can be taken hold of. */
const minVisiblePoints = 100;

/** @returns undefined where nothing is known, or it would be seen on none of the screens */
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
  // Its upper edge is what it is moved by.
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
