// Build outputs in dist/: whether one is up to date with its sources, and how a new one replaces it. See build-page.ts
// and stage-desktop.ts for their contents.

import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { createOwnedFolder, sweepOwnedFolders } from "../main/storage/owned-folder.ts";

export const projectDir = resolve(import.meta.dirname, "..");
export const distDir = join(projectDir, "dist");

export type BuiltFolder = {
  readonly dir: string;
  /** Folders and files that the build reads, relative to the project. */
  readonly sources: readonly string[];
  /** Paths within the sources that the build does not read. */
  readonly excludedPaths?: readonly string[];
};

/** The leading dot keeps it out of reach for requests to the window port. */
const digestFileName = ".sources";

/** Digest of names and contents. Takes about 10 ms. */
async function digestSources({ sources, excludedPaths = [] }: BuiltFolder): Promise<string> {
  const paths = (await Promise.all(sources.map(listFiles)))
    .flat()
    .filter((path) => !excludedPaths.some((one) => path === one || path.startsWith(one + sep)));
  const digest = createHash("sha256");
  for (const path of paths.sort())
    digest
      .update(`${path}\0`)
      .update(await readFile(join(projectDir, path)))
      .update("\0");
  return digest.digest("hex");
}

/** Files of a folder, or the file itself. */
async function listFiles(path: string): Promise<string[]> {
  try {
    const entries = await readdir(join(projectDir, path), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(projectDir.length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return [path];
    throw error;
  }
}

/** True if the folder exists and is up to date. */
export async function isBuilt(folder: BuiltFolder): Promise<boolean> {
  const storedDigest = await readFile(join(folder.dir, digestFileName), "utf8").catch(
    () => undefined,
  );
  return storedDigest !== undefined && storedDigest === (await digestSources(folder));
}

/** Fills a new folder and replaces the old one by it. Rejects as `fill` does and then changes nothing. */
export async function buildFolder(
  folder: BuiltFolder,
  fill: (draftDir: string) => Promise<void>,
): Promise<void> {
  const digest = await digestSources(folder);
  await mkdir(distDir, { recursive: true });
  // Deletes drafts of killed builds. Another build may be running.
  sweepOwnedFolders(distDir, (name) => /^\.(?:draft|page)-/.test(name));
  const { path: draft, remove } = createOwnedFolder(distDir, ".draft-");
  try {
    await fill(draft);
    await writeFile(join(draft, digestFileName), digest);
    await swapFolder(folder.dir, draft);
  } finally {
    remove();
  }
}

/** Of two concurrent builds the later one wins; the folder is never incomplete. */
async function swapFolder(target: string, draftDir: string): Promise<void> {
  const oldDir = `${draftDir}.old`;
  await rename(target, oldDir).catch(() => {});
  await rename(draftDir, target).catch(() =>
    cp(draftDir, target, { recursive: true, force: true }),
  );
  await rm(oldDir, { recursive: true, force: true });
}
