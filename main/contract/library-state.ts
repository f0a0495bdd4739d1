// Health of the library's file, for the window and for readiness probes.

import { z } from "zod";

/** What happened to a damaged library. Kept until the person dismisses it. */
export const libraryNotice = z.object({
  atMs: z.number(),
  /** Name of the damaged file, which stays in the data folder; omitted if the file was missing. */
  setAside: z.string().optional(),
  /**
   * Time of the backup copy in use now. Omitted: there was none, and the library began empty, unless
   * `lacksNewestChanges` is set.
   */
  copyMadeAtMs: z.number().optional(),
  /** Number of items newer than the copy, or different from it, that were read from the damaged file. */
  salvagedItems: z.int(),
  /** Number of items of which only the media files were found; they can be transcribed again. */
  foundItems: z.int(),
  /** All keys and usage records since the copy were read from the damaged file. */
  hasKeysAndUsage: z.boolean(),
  /**
   * The library is still in use, but without the changes after the damage in its write-ahead log; `setAside` is a copy.
   */
  lacksNewestChanges: z.boolean().optional(),
});
export type LibraryNotice = z.infer<typeof libraryNotice>;

/**
 * `damaged`: part of it could not be read; the next start repairs it. `unavailable`: it cannot be opened now; the app
 * retries.
 */
export const libraryHealth = z.enum(["ok", "damaged", "unavailable"]);
export type LibraryHealth = z.infer<typeof libraryHealth>;

export const libraryState = z.object({
  health: libraryHealth,
  /** Newest first; omitted if there are none. */
  notices: z.array(libraryNotice).optional(),
  /** Time of the newest backup copy; omitted if there is none yet. */
  newestCopyMs: z.number().optional(),
});
export type LibraryState = z.infer<typeof libraryState>;
