// Writes a transcript beside its file. Nothing is written over: a name that is taken gets a number.

import { rm } from "node:fs/promises";
import { join, parse } from "node:path";
import { openForWriting } from "../../storage/disk.ts";

const maxNumber = 1000;

/** @param fileName of the media file in the folder @returns the name of the written file */
export async function writeResult(
  folder: string,
  fileName: string,
  format: string,
  bytes: Uint8Array,
): Promise<string> {
  const { name } = parse(fileName);
  for (let number = 1; ; number += 1) {
    const resultName = `${name}${number === 1 ? "" : ` (${number})`}.${format}`;
    const path = join(folder, resultName);
    const file = await openForWriting(path, "wx").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST" && number < maxNumber) return undefined;
      throw error;
    });
    if (file === undefined) continue;
    try {
      await file.writeFile(bytes);
      await file.close();
      return resultName;
    } catch (error) {
      await file.close().catch(() => {});
      await rm(path, { force: true });
      throw error;
    }
  }
}
