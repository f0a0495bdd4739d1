// The size of a model's files, and the memory that a process needs for it.

import type { CatalogEntry, ModelFile } from "../contract/models.ts";

/** Of whisper-base, moonshine-base and hibari, whose processes grow by 2 to 4 times their files. */
const memoryPerFileByte = 2;
const fixedMemoryBytes = 50e6;

export const sizeOfFiles = (files: readonly ModelFile[]): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Before it was measured. */
export const estimateMemoryBytes = ({
  memoryBytes,
  files,
}: Pick<CatalogEntry, "memoryBytes" | "files">): number =>
  memoryBytes ?? fixedMemoryBytes + memoryPerFileByte * sizeOfFiles(files);
