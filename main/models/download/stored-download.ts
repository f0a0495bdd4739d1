// The state of a download on disk. It may come from another version.

import { z } from "zod";
import { messageReference } from "../../contract/messages/sent-message.ts";
import { downloadState } from "../../contract/model-downloads.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import { isSafeFileName } from "../file-names.ts";

const remoteFile = z.object({
  name: z.string().refine(isSafeFileName),
  sizeBytes: z.number().int().min(0),
  sha256: z.string().optional(),
  gitBlob: z.string().optional(),
  locations: z
    .array(z.object({ repository: z.string(), revision: z.string(), path: z.string() }))
    .readonly(),
});

export const storedDownload = z.object({
  /** Written by this app into its own folder; the store validates what it reads from manifests. */
  entry: z.custom<CatalogEntry>(
    (value) => typeof (value as { id?: unknown } | null)?.id === "string",
  ),
  files: z.array(remoteFile),
  isCustom: z.boolean(),
  state: downloadState,
  error: z.object({ message: z.string(), ...messageReference }).optional(),
});
export type StoredDownload = z.infer<typeof storedDownload>;
