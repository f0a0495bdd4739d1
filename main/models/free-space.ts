// Disk space for models.

import { statfs } from "node:fs/promises";

export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
