// Counts the temporary disk space for the decoded audio of one file: a small file can decode to gigabytes.

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, storageFullError } from "../../contract/errors.ts";
import { freeBytesSync } from "../../storage/disk.ts";
import type { MediaLimits } from "./protocol.ts";

export type TempSpace = {
  /** @throws AppError if this total is more than the file may use, or than the disk has free */
  checkTotal(totalBytes: number): void;
  /** Call before writing this many more bytes. @throws AppError if they are too many */
  add(bytes: number): void;
};

/**
 * @param mediaPath the media file
 * @param outputPath where its decoded audio is written
 */
export function createTempSpace(
  mediaPath: string,
  outputPath: string,
  { tempRatio, tempExtraBytes }: Omit<MediaLimits, "maxDurationSec">,
): TempSpace {
  const maxBytes = tempRatio * statSync(mediaPath).size + tempExtraBytes;
  let usedBytes = 0;
  const check = (bytes: number): void => {
    if (bytes <= maxBytes) return;
    throw new AppError(
      "audio.tempSpace",
      { megabytes: Math.round(maxBytes / 1e6) },
      { param: "file" },
    );
  };
  return {
    checkTotal(totalBytes) {
      check(totalBytes);
      if (freeBytesSync(dirname(outputPath)) < totalBytes) throw storageFullError();
    },
    add(bytes) {
      usedBytes += bytes;
      check(usedBytes);
    },
  };
}
