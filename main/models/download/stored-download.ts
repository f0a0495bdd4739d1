// The state of a download on disk. It may come from another version.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { sentMessage } from "../../contract/messages/sent-message.ts";
import { downloadState } from "../../contract/model-downloads.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import { mkdir, rename, writeFile } from "../../storage/disk.ts";
import { isSafeFileName } from "../file-names.ts";
import type { Download } from "./download.ts";

const stateFileName = "download.json";

const remoteFile = z.object({
  name: z.string().refine(isSafeFileName),
  sizeBytes: z.number().int().min(0),
  sha256: z.string().optional(),
  gitBlob: z.string().optional(),
  locations: z
    .array(z.object({ repository: z.string(), revision: z.string(), path: z.string() }))
    .readonly(),
});

const storedDownload = z.object({
  /** Written by this app into its own folder; the store validates what it reads from manifests. */
  entry: z.custom<CatalogEntry>(
    (value) => typeof (value as { id?: unknown } | null)?.id === "string",
  ),
  files: z.array(remoteFile),
  state: downloadState,
  error: sentMessage.optional(),
});
type StoredDownload = z.infer<typeof storedDownload>;

/** Undefined if there is none that can be read. */
export async function readStored(folder: string): Promise<StoredDownload | undefined> {
  try {
    return storedDownload.parse(JSON.parse(await readFile(join(folder, stateFileName), "utf8")));
  } catch {
    return undefined;
  }
}

export async function saveDownload(download: Download): Promise<void> {
  const { folder } = download;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, stateFileName);
  const text = JSON.stringify(toStored(download), null, 2);
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/** As it is read back. */
export const toStored = ({ entry, files, state, error }: Download): StoredDownload =>
  storedDownload.parse(JSON.parse(JSON.stringify({ entry, files, state, error })));
