// Drops files onto a page as from a file manager. Uses Chromium's DevTools protocol, because scripts cannot create such
// a drop.

import type { Page } from "playwright";

/** @param at in CSS pixels; default: the middle of the window */
export async function dropFiles(
  page: Page,
  paths: readonly string[],
  at?: { x: number; y: number },
): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const { x, y } = at ?? { x: width / 2, y: height / 2 };
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await session.send("Input.dispatchDragEvent", { type, x, y, data });
  await session.detach();
}
