// The size of a model's files, and the memory and disk space that it needs.

import type { CatalogEntry, InstalledModel, ModelFile } from "./models.ts";

/** Weights are in memory as they are in the file; some are rearranged, and inference needs some more. */
const estimatedGrowth = 1.3;
const estimatedWorkBytes = 100e6;
/** File systems need a little more than the bytes of the files. */
export const downloadSpaceFactor = 1.1;

export const sizeOfFiles = (files: readonly Pick<ModelFile, "sizeBytes">[]): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/**
 * Growth of a process that loads the model: measured on this machine before, otherwise estimated. Never less than the
 * files, because a model that was loaded into memory freed before seems to take none.
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
    sizeOfFiles(files),
  );
