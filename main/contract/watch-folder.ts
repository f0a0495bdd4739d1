// The folder whose new files are transcribed by themselves: settings, and what happened to its files.

import { z } from "zod";
import { sentMessage } from "./messages/sent-message.ts";
import { transcriptExports } from "./transcript-export.ts";

export const watchPreferences = z.object({
  /** Absolute path; empty: none. */
  folder: z
    .string()
    .max(4096)
    .regex(/^(?:|\/.*|[a-z]:[\\/].*|\\\\.*)$/is)
    .default(""),
  /** Of the transcripts that are written beside the files; may be empty: they are in the library anyway. */
  formats: z.array(z.enum(transcriptExports)).max(transcriptExports.length).default(["txt"]),
});
export type WatchPreferences = z.infer<typeof watchPreferences>;

export const watchedFile = z.object({
  /** In the folder. */
  name: z.string(),
  sizeBytes: z.number(),
  changedAtMs: z.number(),
  /** `known`: it was there before the folder was watched, and is left alone. */
  state: z.enum(["known", "working", "done", "failed"]),
  itemId: z.string().optional(),
  /** Why it failed. */
  error: sentMessage.optional(),
});
export type WatchedFile = z.infer<typeof watchedFile>;

export const watchStatus = z.object({
  /**
   * `missing`: the folder is not there or cannot be read at the moment; `tooMany`: only some of its files are read;
   * `ownFolder`: it is in the data folder, whose files are Hearsay's own, and is not read.
   */
  state: z.enum(["off", "watching", "missing", "tooMany", "ownFolder"]),
  /** Recent ones, the last one first, without those that were known. */
  files: z.array(watchedFile),
});
export type WatchStatus = z.infer<typeof watchStatus>;
