// The file of provider keys: read as a whole, and replaced atomically under a lock between processes.

import { readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { acquireProcessLock } from "../process-lock.ts";
import { openForWriting, rename } from "../disk.ts";

const keyFileSchema = z.object({
  keys: z.array(
    z.object({
      channelId: z.string(),
      origin: z.string(),
      key: z.string().optional(),
      sealed: z.string().optional(),
    }),
  ),
});
export type StoredKey = z.infer<typeof keyFileSchema>["keys"][number];

export type ProviderKeyFile = {
  /** Empty without a file. @returns undefined if the file is invalid */
  read(): StoredKey[] | undefined;
  /** Resolves when the changed keys are on the disk. An invalid file is set aside. */
  change(edit: (keys: StoredKey[]) => StoredKey[]): Promise<void>;
};

/** Also removes unfinished files of earlier processes. */
export async function openProviderKeyFile(dataDir: string): Promise<ProviderKeyFile> {
  const path = join(dataDir, "provider-keys.json");
  const lockPath = `${path}.lock`;

  function read(): StoredKey[] | undefined {
    try {
      return keyFileSchema.parse(JSON.parse(readFileSync(path, "utf8"))).keys;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  await removeDrafts(dataDir, lockPath);
  return {
    read,
    change: (edit) =>
      withLock(lockPath, async () => {
        const current = read();
        // Keep the invalid file, so that the user can repair it.
        if (current === undefined) await rename(path, `${path}.broken`);
        const keys = edit(current ?? []);
        await replaceFile(path, `${JSON.stringify({ keys }, null, 2)}\n`);
      }),
  };
}

/** A process killed while writing leaves a draft, whose keys may have been removed since. */
async function removeDrafts(dataDir: string, lockPath: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) =>
    /^provider-keys\.json\.(draft|\d+\.[0-9a-f]+)$/.test(name),
  );
  if (names.length > 0)
    await withLock(
      lockPath,
      async () =>
        void (await Promise.all(names.map((name) => rm(join(dataDir, name), { force: true })))),
    );
}

const lockPollMs = 10;

/** Lock between processes. */
async function withLock(lockPath: string, work: () => Promise<void>): Promise<void> {
  let release = acquireProcessLock(lockPath);
  for (; release === undefined; release = acquireProcessLock(lockPath)) await pause(lockPollMs);
  try {
    await work();
  } finally {
    release();
  }
}

/** Replaces the file atomically, readable by its owner only. Not for concurrent use. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  try {
    await rm(draft, { force: true });
    const file = await openForWriting(draft, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
