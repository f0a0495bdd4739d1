// Opens items, folders and the documentation of the API in other programs.

import { shell } from "electron";
import type { App } from "../app.ts";
import { AppError } from "../contract/errors.ts";

/** @returns whether the item has an audio file */
export async function showItem(hearsay: Pick<App, "itemFile">, itemId: string): Promise<boolean> {
  const path = await hearsay.itemFile(itemId).catch(() => undefined);
  if (path !== undefined) shell.showItemInFolder(path);
  return path !== undefined;
}

/** @throws AppError with the system's reason */
export async function openFolder(path: string): Promise<void> {
  const errorMessage = await shell.openPath(path);
  if (errorMessage !== "") throw new AppError("folder.notOpened", { reason: errorMessage });
}

/** @param baseUrl of the API; undefined while it is closed */
export async function openApiPage(baseUrl: string | undefined): Promise<void> {
  if (baseUrl !== undefined) await shell.openExternal(new URL("/docs", baseUrl).href);
}
