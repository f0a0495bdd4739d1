// Opens items, folders and the documentation of the API in other programs, and asks for a folder.

import { dialog, shell } from "electron";
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

/** @returns undefined if no folder was chosen */
export async function pickFolder(): Promise<string | undefined> {
  const { filePaths } = await dialog.showOpenDialog({
    properties: ["openDirectory", "createDirectory"],
  });
  return filePaths[0];
}

/** @param baseUrl of the API; undefined while it is closed */
export async function openApiPage(baseUrl: string | undefined): Promise<void> {
  if (baseUrl !== undefined) await shell.openExternal(new URL("/docs", baseUrl).href);
}
