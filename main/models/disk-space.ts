// Refuses a model that the disk has no room for.

import { AppError } from "../contract/errors.ts";
import { diskReserveBytes } from "../storage/disk.ts";

const megabyte = 1e6;

/** @throws AppError with this message */
export function checkDiskSpace(
  id: "download.noSpace" | "modelImport.noSpace",
  contentBytes: number,
  freeBytes: number,
): void {
  const neededBytes = contentBytes + diskReserveBytes;
  if (neededBytes > freeBytes)
    throw new AppError(id, {
      needed: Math.ceil(neededBytes / megabyte),
      free: Math.floor(freeBytes / megabyte),
    });
}
