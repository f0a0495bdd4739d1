// The folders of installed models on disk. They are put in place, replaced and removed by renaming, so that at any
// moment the old or the new model is there as a whole.

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../log.ts";
import { mkdir, rename } from "../storage/disk.ts";

export type ModelFolders = {
  pathOf(id: string): string;
  /** Puts a complete folder in place. If that fails, a former one is back. @returns deletes the former one */
  put(id: string, folder: string): Promise<() => Promise<void>>;
  /** Gone at once, and deleted. */
  remove(id: string): Promise<void>;
  /** Puts back what a process had set aside that was killed in `put`. @returns the ids */
  recover(): Promise<string[]>;
};

export type ModelFoldersOptions = { incomingDir: string; log: Log; retryDelayMs: number };

const maxTries = 5;
/** Ids have no such sign. */
const afterId = "~";

export function createModelFolders(
  modelsDir: string,
  { incomingDir, log, retryDelayMs }: ModelFoldersOptions,
): ModelFolders {
  const replacedDir = join(modelsDir, ".replaced");
  const pathOf = (id: string): string => join(modelsDir, id);

  /** Virus scanners and indexers on Windows hold files open for a moment. */
  async function move(from: string, to: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await rename(from, to);
      } catch (error) {
        if (tries === maxTries || !isHeldOpen(error)) throw error;
        await pause(tries * retryDelayMs);
      }
    }
  }

  /** @returns false if there is no such folder */
  async function moveIfThere(from: string, to: string): Promise<boolean> {
    if (!existsSync(from)) return false;
    await mkdir(join(to, ".."), { recursive: true, mode: 0o700 });
    await move(from, to);
    return true;
  }

  /** Moved away first: what cannot be deleted now is deleted with the other leftovers at the next start. */
  async function remove(folder: string): Promise<void> {
    const leaving = join(incomingDir, `removed-${randomUUID()}`);
    if (!(await moveIfThere(folder, leaving))) return;
    await rm(leaving, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
      log.warn({ err: error, folder }, "a removed model is deleted at the next start"),
    );
  }

  const removeFormer = (folder: string): Promise<void> =>
    remove(folder).catch((error: unknown) =>
      log.warn({ err: error, folder }, "a replaced model is removed at the next start"),
    );

  return {
    pathOf,
    async put(id, folder) {
      const former = join(replacedDir, `${id}${afterId}${Date.now()}`);
      const hasFormer = await moveIfThere(pathOf(id), former);
      try {
        await move(folder, pathOf(id));
      } catch (error) {
        if (hasFormer) await move(former, pathOf(id));
        throw error;
      }
      return () => removeFormer(former);
    },
    remove: (id) => remove(pathOf(id)),
    async recover() {
      const recovered: string[] = [];
      // The latest first.
      for (const name of (await readdir(replacedDir).catch(() => [])).toSorted().reverse()) {
        const former = join(replacedDir, name);
        const [id = ""] = name.split(afterId);
        if (existsSync(pathOf(id))) await removeFormer(former);
        else
          await move(former, pathOf(id)).then(
            () => recovered.push(id),
            (error: unknown) => log.error({ err: error, model: id }, "a model is not put back"),
          );
      }
      return recovered;
    },
  };
}

function isHeldOpen(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException;
  return ["EPERM", "EBUSY", "EACCES"].includes(
    code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? "",
  );
}
