// The size of a model's files, and the memory that it needs.

import type { CatalogEntry, InstalledModel, ModelFile } from "./models.ts";

/** Weights are in memory as they are in the file; some are rearranged, and inference needs some more. */
const estimatedGrowth = 1.3;
const estimatedWorkBytes = 100e6;

export const sizeOfFiles = (files: readonly Pick<ModelFile, "sizeBytes">[]): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/**
 * Growth of a process that loads the model: measured on this machine before, otherwise estimated. Never less than what
 * the catalog says, since its models may grow at work, or than the files, since a model that is loaded into memory
 * which was freed before seems to take none.
 */
export const memoryNeedBytes = ({
  measured,
  memoryBytes,
  files,
}: Pick<CatalogEntry, "memoryBytes" | "files"> &
  Partial<Pick<InstalledModel, "measured">>): number =>
  Math.max(
    measured?.memoryBytes ??
      memoryBytes ??
      estimatedWorkBytes + estimatedGrowth * sizeOfFiles(files),
    memoryBytes ?? 0,
    sizeOfFiles(files),
  );
