// Counts the temporary space that the sound of one file takes: a small file can unfold to gigabytes.

import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, storageFullError } from "../../contract/errors.ts";
import type { MediaLimits } from "./protocol.ts";

export type TempSpace = {
  /** @throws AppError where that many bytes in all are more than the file may take, or than the disk has room for */
  checkTotal(totalBytes: number): void;
  /** Call before so many more bytes are written. @throws AppError where they are too many */
  add(bytes: number): void;
};

/**
 * @param mediaPath the file
 * @param outputPath where its sound is written
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
      "temp_space_used_up",
      `The audio unfolds to more than the ${Math.round(maxBytes / 1e6)} MB of temporary space that a file of this size may take.`,
      { param: "file" },
    );
  };
  return {
    checkTotal(totalBytes) {
      check(totalBytes);
      const { bavail, bsize } = statfsSync(dirname(outputPath));
      if (bavail * bsize < totalBytes) throw storageFullError();
    },
    add(bytes) {
      usedBytes += bytes;
      check(usedBytes);
    },
  };
}
