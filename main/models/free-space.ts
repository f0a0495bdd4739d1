// Disk space for models.

import { statfs } from "node:fs/promises";

/** File systems need a little more than the bytes of the files. */
export const downloadSpaceFactor = 1.1;

export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
