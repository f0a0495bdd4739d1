// How the library's file is, for the window and for probes.

import { z } from "zod";

/** What became of a damaged library, until the person has read it. */
export const libraryNotice = z.object({
  atMs: z.number(),
  /** Name of the damaged file, which is kept in the data folder; omitted: it was missing. */
  setAside: z.string().optional(),
  /** When the copy was made that is used now; omitted: there was none, and the library began empty, unless it `lacksNewestChanges`. */
  copyMadeAtMs: z.number().optional(),
  /** Items that are newer than the copy, or differ, and could be read from the damaged file. */
  salvagedItems: z.int(),
  /** Items of which only the files were found: they can be transcribed again. */
  foundItems: z.int(),
  /** Everything about keys and usage since the copy could be read from the damaged file. */
  hasKeysAndUsage: z.boolean(),
  /** The library is still used, without the changes behind the damage in its write-ahead log; `setAside` is a copy. */
  lacksNewestChanges: z.boolean().optional(),
});
export type LibraryNotice = z.infer<typeof libraryNotice>;

/** `damaged`: something in it could not be read, it is mended at the next start. `unavailable`: it cannot be opened for now, which is tried again. */
export const libraryHealth = z.enum(["ok", "damaged", "unavailable"]);
export type LibraryHealth = z.infer<typeof libraryHealth>;

export const libraryState = z.object({
  health: libraryHealth,
  /** Newest first; omitted where there is none. */
  notices: z.array(libraryNotice).optional(),
  /** When the newest copy was made; omitted if there is none yet. */
  newestCopyMs: z.number().optional(),
});
export type LibraryState = z.infer<typeof libraryState>;
