// The owner's API key: created at the first run and kept in a file that only its owner can read.

import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { chmod, link, openForWriting, rename } from "../disk.ts";
import { createSecret } from "./key-secret.ts";

export const ownerKeyPath = (dataDir: string): string => join(dataDir, "api-key");

/** The owner's key in the data folder; empty if none was created yet. */
export const readOwnerKey = (dataDir: string): Promise<string> => readKey(ownerKeyPath(dataDir));

/** `dataDir` must exist. */
export async function readOrCreateOwnerKey(dataDir: string): Promise<string> {
  const path = ownerKeyPath(dataDir);
  const existing = await readKey(path);
  if (existing !== "") {
    await chmod(path, 0o600);
    return existing;
  }
  const newKey = createSecret();
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    const file = await openForWriting(draft, "wx", 0o600);
    try {
      await file.writeFile(`${newKey}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // The link fails if another process was first: then use its key. An empty file contains no key.
    try {
      await link(draft, path);
    } catch {
      const otherKey = await readKey(path);
      if (otherKey !== "") return otherKey;
      await rename(draft, path);
    }
  } finally {
    await rm(draft, { force: true });
  }
  return newKey;
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
