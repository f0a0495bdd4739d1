// What happened to the files of the watched folder, kept for the next start.

import { z } from "zod";
import { type WatchedFile, watchedFile } from "../../contract/watch-folder.ts";
import { createStoredSetting, type StoredSetting } from "../../library/stored-setting.ts";
import type { Database } from "../../storage/database.ts";

const watchedFiles = z.object({
  /** Empty: none was read yet. */
  folder: z.string(),
  files: z.array(watchedFile),
});
export type WatchedFiles = { folder: string; files: WatchedFile[] };
export type WatchedFileStore = StoredSetting<WatchedFiles>;

export const createWatchedFileStore = (database: Database): WatchedFileStore =>
  createStoredSetting<WatchedFiles>(database, "watched-files", watchedFiles, {
    folder: "",
    files: [],
  });
